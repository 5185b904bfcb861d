import OfferModel
import OfferSigning

/// The roots that each environment trusts, by fingerprint: the root itself travels in the data.
struct TrustedRoots: Sendable {
    /// SHA-256 of the certificate "Apple Root CA - G3" (docs/decisions/0007-pinned-root.md).
    static let appleRootG3: [UInt8] = [
        0x63, 0x34, 0x3a, 0xbf, 0xb8, 0x9a, 0x6a, 0x03, 0xeb, 0xb5, 0x7e, 0x9b, 0x3f, 0x5f, 0xa7, 0xbe,
        0x7c, 0x4f, 0x5c, 0x75, 0x6f, 0x30, 0x17, 0xb3, 0xa8, 0xc4, 0x88, 0xc3, 0x65, 0x3e, 0x91, 0x79,
    ]

    struct Set: Sendable {
        private let fingerprints: Swift.Set<[UInt8]>
        /// SHA-256 of all of them in order: it changes when what is trusted does.
        let digest: [UInt8]

        init(_ fingerprints: Swift.Set<[UInt8]>) {
            self.fingerprints = fingerprints
            let ordered = fingerprints.sorted { $0.lexicographicallyPrecedes($1) }
            digest = OpenSSLDigest().sha256(Array(ordered.joined()))
        }

        func contains(_ der: [UInt8]) -> Bool {
            fingerprints.contains(OpenSSLDigest().sha256(der))
        }
    }

    private let sets: [AppStoreEnvironment: Set]

    /// - Parameter additional: further roots in DER, for Xcode its certificates; never for Production, whose only root
    ///   is Apple's.
    init(additional: [AppStoreEnvironment: [[UInt8]]]) throws(CertificateError) {
        // A local App Store has no business with Apple's root: data signed for customers is not its data.
        var fingerprints: [AppStoreEnvironment: Swift.Set<[UInt8]>] = [
            .production: [Self.appleRootG3], .sandbox: [Self.appleRootG3], .localTesting: [],
        ]
        for (environment, roots) in additional {
            guard environment != .production else {
                throw CertificateError(
                    .rootNotAllowed, "`\(environment.rawValue)` allows no additional trusted root",
                    hint: "additional roots are for tests: name them under `Sandbox`, `LocalTesting` or `Xcode`")
            }
            for root in roots {
                try Self.check(root, for: environment)
                fingerprints[environment, default: []].insert(OpenSSLDigest().sha256(root))
            }
        }
        sets = fingerprints.mapValues { Set($0) }
    }

    /// The roots of an environment; `nil` for Xcode without a certificate, whose data cannot be verified then.
    subscript(environment: AppStoreEnvironment) -> Set? {
        sets[environment]
    }

    static func anchor(of der: [UInt8]) -> TrustAnchor {
        OpenSSLDigest().sha256(der) == appleRootG3 ? .apple : .configured
    }

    private static func check(_ root: [UInt8], for environment: AppStoreEnvironment) throws(CertificateError) {
        guard let certificate = Certificate(der: root) else {
            throw CertificateError(
                .malformedCertificate,
                "a trusted root for `\(environment.rawValue)` is not the DER of one certificate",
                hint: "convert PEM with `openssl x509 -in ROOT -outform der -out ROOT.der`")
        }
        guard certificate.names(issuer: certificate), certificate.isSigned(by: certificate) else {
            throw CertificateError(
                .rootNotSelfSigned,
                "a trusted root for `\(environment.rawValue)` is not signed by its own key",
                hint: "name the root, not a certificate that it issued")
        }
        guard environment != .xcode || certificate.publicKey.curve == KeyHandle.p256 else {
            throw CertificateError(
                .unusableKey, "the certificate for `Xcode` has a key that is not on P-256",
                hint: "in Xcode, open the StoreKit configuration file and choose Editor, Save Public Certificate")
        }
    }
}

/// Why a certificate could not be made, read or trusted. For operators; data of the App Store is refused with
/// `SignedDataRefusal` instead.
public struct CertificateError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable, Hashable, CaseIterable {
        case malformedCertificate
        case keyMismatch
        /// A profile that no certificate can have, such as a marker that is not an object identifier.
        case unusableProfile
        /// A trusted root that is not signed by its own key.
        case rootNotSelfSigned
        /// An additional root for Production, which allows none.
        case rootNotAllowed
        /// A certificate for Xcode whose key cannot have signed App Store data.
        case unusableKey
    }

    public let code: Code
    public let detail: String
    public let hint: String

    init(_ code: Code, _ detail: String, hint: String) {
        self.code = code
        self.detail = detail
        self.hint = hint
    }

    public var description: String { detail }
}
