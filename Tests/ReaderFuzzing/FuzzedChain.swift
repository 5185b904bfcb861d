import Foundation
import OfferModel
import OfferSigning
import OpenSSLCrypto

/// A root of one's own with the chain below it, like the App Store's, that signs whatever an input says: else every
/// input would end at its signature, and nothing behind that would be tried.
package struct FuzzedChain {
    /// The certificates in DER, leaf first.
    package let certificates: [[UInt8]]
    private let leaf: CertifiedKey
    /// The header of all that is genuine, encoded once: it is longer than most payloads.
    private let encodedHeader: String

    /// Makes new keys. What is asked of them is the same in every run.
    package init() throws {
        let begins = Instant(milliseconds: 946_684_800_000)
        let ends = begins.adding(months: 12 * 40)
        let root = try CertifiedKey.selfSigned(
            CertificateProfile(
                commonName: "fuzzed root", notBefore: begins, notAfter: ends, isAuthority: true, curve: .p384))
        let intermediate = try root.issue(
            CertificateProfile(
                commonName: "fuzzed intermediate", notBefore: begins, notAfter: ends, isAuthority: true, pathLength: 0,
                markers: [AppleMarker.intermediate], curve: .p384))
        leaf = try intermediate.issue(
            CertificateProfile(
                commonName: "fuzzed leaf", notBefore: begins, notAfter: ends, markers: [AppleMarker.leaf], curve: .p256)
        )
        certificates = [leaf, intermediate, root].map(\.certificateDER)
        encodedHeader = Base64URL.encode(Self.header(certificates))
    }

    /// A header as the App Store writes it, with these certificates.
    package static func header(_ certificates: [[UInt8]]) -> [UInt8] {
        let x5c = certificates.map { "\"\(Data($0).base64EncodedString())\"" }.joined(separator: ",")
        return Array("{\"alg\":\"ES256\",\"x5c\":[\(x5c)]}".utf8)
    }

    /// A JWS of these bytes, genuine in every respect.
    func signed(_ payload: [UInt8]) throws -> String {
        try signed(payload, under: encodedHeader)
    }

    /// A JWS under any header, with the leaf's signature.
    func signed(_ payload: [UInt8], header: [UInt8]) throws -> String {
        try signed(payload, under: Base64URL.encode(header))
    }

    private func signed(_ payload: [UInt8], under header: String) throws -> String {
        let signingInput = "\(header).\(Base64URL.encode(payload))"
        let signature = try leaf.rawSignature(of: Array(signingInput.utf8))
        return "\(signingInput).\(Base64URL.encode(signature))"
    }
}
