import FoundationEssentials

/// A JWS in compact serialisation (RFC 7515 §3.1), taken apart but not verified.
///
/// ```
/// base64url(header) "." base64url(payload) "." base64url(R‖S)
/// ^--------------- signing input ---------^
/// ```
public struct CompactJWS: Sendable, Hashable {
    /// The protected header's members that verification needs.
    public struct Header: Sendable, Hashable, Decodable {
        /// The signature algorithm; only `ES256` is ever accepted.
        public var alg: String?
        /// The certificate chain in standard Base64 DER, leaf first.
        public var x5c: [String]?
        /// The key id; the App Store sends none.
        public var kid: String?
    }

    /// The header.
    public let header: Header
    /// The payload's bytes: JSON as it was signed.
    public let payload: [UInt8]
    /// The signature's bytes.
    public let signature: [UInt8]
    /// The ASCII bytes that were signed: everything before the second point.
    public let signingInput: [UInt8]

    /// Takes a compact JWS apart.
    ///
    /// - Throws: ``SignedDataRefusal`` with `malformedJws` if it is not three base64url parts with a JSON header,
    ///   or if the header has `crit`: no extension is understood here (RFC 7515 §4.1.11).
    public init(parsing text: String) throws(SignedDataRefusal) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw SignedDataRefusal(.malformedJws, "a compact JWS has 3 parts, this one has \(parts.count)")
        }
        guard let header = Base64URL.decode(parts[0]) else {
            throw SignedDataRefusal(.malformedJws, "the header is not base64url")
        }
        guard let payload = Base64URL.decode(parts[1]) else {
            throw SignedDataRefusal(.malformedJws, "the payload is not base64url")
        }
        guard let signature = Base64URL.decode(parts[2]) else {
            throw SignedDataRefusal(.malformedJws, "the signature is not base64url")
        }
        guard let decoded = try? JSONDecoder().decode(ProtectedHeader.self, from: Data(header)) else {
            throw SignedDataRefusal(.malformedJws, "the header is not a JSON object of the expected form")
        }
        guard !decoded.hasCriticalExtensions else {
            throw SignedDataRefusal(
                .malformedJws, "the header's `crit` demands extensions that are not understood here")
        }
        self.header = decoded.header
        self.payload = payload
        self.signature = signature
        signingInput = Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1])
    }

    /// The header with what must not be in it.
    private struct ProtectedHeader: Decodable {
        private enum CodingKeys: CodingKey {
            case crit
        }

        let header: Header
        let hasCriticalExtensions: Bool

        init(from decoder: any Decoder) throws {
            header = try Header(from: decoder)
            hasCriticalExtensions = try decoder.container(keyedBy: CodingKeys.self).contains(.crit)
        }
    }
}
