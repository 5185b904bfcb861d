import Foundation

/// A login provider that signs with the `openssl` tool: nothing of it is shared with what reads its tokens.
public struct LoginProvider: Sendable {
    public enum Kind: Sendable {
        case rsa(bits: Int)
        case p256, p384
    }

    private struct Failed: Error {
        let what: String
    }

    public static let issuer = "https://login.example.com/"
    public static let audience = "example-app"

    private let directory: TemporaryDirectory

    /// A provider with the keys `rsa` and `ec`.
    public init() throws {
        directory = try TemporaryDirectory()
        try make("rsa", .rsa(bits: 2_048))
        try make("ec", .p256)
    }

    public func make(_ id: String, _ kind: Kind) throws {
        let options =
            switch kind {
            case .rsa(let bits): ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:\(bits)"]
            case .p256: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .p384: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
            }
        _ = try openssl(["genpkey", "-out", file(id)] + options)
    }

    private func file(_ id: String) -> String { directory.path("\(id).pem") }

    private func openssl(_ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
        let result = try Command.run("openssl", arguments, input: input)
        guard result.status == 0 else { throw Failed(what: result.errorText) }
        return result.output
    }

    /// The public key in PEM.
    public func pem(_ id: String) throws -> [UInt8] { try openssl(["pkey", "-in", file(id), "-pubout"]) }

    /// A public key as a member of a key set.
    ///
    /// - Parameters:
    ///   - name: its `kid`; its id if absent.
    ///   - changes: members that replace its own; `nil` removes one.
    public func jwk(_ id: String, name: String? = nil, _ changes: [String: String?] = [:]) throws -> String {
        var members: [String: Any] = ["kid": name ?? id, "use": "sig"]
        if let modulus = try? openssl(["rsa", "-in", file(id), "-noout", "-modulus"]) {
            let digits = Array(String(decoding: modulus, as: UTF8.self).trimmingCharacters(in: .newlines).dropFirst(8))
            let n = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                UInt8(String(digits[$0..<($0 + 2)]), radix: 16)
            }
            members.merge(["kty": "RSA", "alg": "RS256", "n": Self.base64(n), "e": "AQAB"]) { $1 }
        } else {
            let der = try openssl(["pkey", "-in", file(id), "-pubout", "-outform", "DER"])
            // SubjectPublicKeyInfo ends with 04, x and y.
            let length = der.count > 100 ? 48 : 32
            let (x, y) = (der.suffix(2 * length).prefix(length), der.suffix(length))
            members.merge([
                "kty": "EC", "crv": length == 32 ? "P-256" : "P-384", "x": Self.base64(Array(x)),
                "y": Self.base64(Array(y)),
            ]) { $1 }
        }
        for (name, value) in changes { members[name] = value }
        return String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
    }

    public func keySet(_ ids: String...) throws -> String {
        "{\"keys\":[\(try ids.map { try jwk($0) }.joined(separator: ","))]}"
    }

    /// The claims of a token about a user, issued at an instant in seconds.
    ///
    /// - Parameter changes: claims as JSON that replace these; `nil` removes one.
    public static func claims(_ subject: String, at seconds: Int64, _ changes: [String: String?] = [:]) -> String {
        var claims: [String: String] = [
            "iss": "\"\(issuer)\"", "aud": "\"\(audience)\"", "sub": "\"\(subject)\"", "iat": "\(seconds)",
            "exp": "\(seconds + 3_600)",
        ]
        for (name, value) in changes { claims[name] = value }
        return "{\(claims.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}"
    }

    /// A token signed with one of the keys.
    ///
    /// - Parameter header: the header, if it is not that of the key.
    public func token(_ claims: String, key: String, header: String? = nil) throws -> String {
        let isRSA = (try? openssl(["rsa", "-in", file(key), "-noout"])) != nil
        let header = header ?? #"{"alg":"\#(isRSA ? "RS256" : "ES256")","kid":"\#(key)","typ":"JWT"}"#
        let input = "\(Self.base64(Array(header.utf8))).\(Self.base64(Array(claims.utf8)))"
        let signature = try openssl(["dgst", "-sha256", "-sign", file(key)], input: Array(input.utf8))
        return "\(input).\(Self.base64(isRSA ? signature : Self.raw(signature)))"
    }

    /// A token whose signature is HMAC-SHA-256 under a secret.
    public static func symmetricToken(_ claims: String, header: String, secret: [UInt8]) throws -> String {
        let input = "\(base64(Array(header.utf8))).\(base64(Array(claims.utf8)))"
        let hex = secret.map { String(format: "%02x", $0) }.joined()
        let mac = try Command.run(
            "openssl", ["dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:\(hex)", "-binary"],
            input: Array(input.utf8))
        guard mac.status == 0 else { throw Failed(what: mac.errorText) }
        return "\(input).\(base64(mac.output))"
    }

    public static func base64(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// R‖S of the DER of an ECDSA signature on P-256.
    private static func raw(_ der: [UInt8]) -> [UInt8] {
        var rest = der.dropFirst(2)
        return (0..<2).flatMap { _ -> [UInt8] in
            let length = Int(rest.dropFirst().first ?? 0)
            let number = rest.dropFirst(2).prefix(length).drop { $0 == 0 }
            rest = rest.dropFirst(2 + length)
            return Array(repeating: 0, count: max(0, 32 - number.count)) + number
        }
    }
}
