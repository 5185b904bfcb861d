public import OfferModel

/// What a new certificate shall say: for the local App Store, and for tests, which need wrong certificates too.
public struct CertificateProfile: Sendable, Hashable {
    /// The curve of the certificate's own key.
    public enum Curve: Sendable, Hashable {
        /// P-256, as Apple's leaf has.
        case p256
        /// P-384, as Apple's root and intermediate have.
        case p384

        var name: String {
            switch self {
            case .p256: KeyHandle.p256
            case .p384: "secp384r1"
            }
        }
    }

    /// The purposes in the key usage extension (RFC 5280 §4.2.1.3).
    public struct KeyUsage: OptionSet, Sendable, Hashable {
        /// Bit n stands for bit n of the extension.
        public let rawValue: Int

        /// The purposes of these bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Signing data.
        public static let digitalSignature = KeyUsage(rawValue: 1 << 0)
        /// Signing certificates.
        public static let keyCertSign = KeyUsage(rawValue: 1 << 5)
        /// Signing revocation lists.
        public static let cRLSign = KeyUsage(rawValue: 1 << 6)
    }

    /// The subject's common name.
    public var commonName: String
    /// The first moment of validity; certificates know whole seconds, so it is rounded down.
    public var notBefore: Instant
    /// The last moment of validity, rounded down to the second.
    public var notAfter: Instant
    /// Whether the basic constraints say CA:TRUE.
    public var isAuthority: Bool
    /// How many authorities may follow this one; `nil` for any number.
    public var pathLength: Int?
    /// Object identifiers of extensions with an ASN.1 NULL as value, not critical: Apple's markers.
    public var markers: [String]
    /// Object identifiers of extensions with an ASN.1 NULL as value that are critical.
    public var criticalMarkers: [String] = []
    /// The curve of the certificate's own key.
    public var curve: Curve
    /// Whether there is a basic constraints extension at all.
    public var hasBasicConstraints = true
    /// The key usage; empty for a certificate without that extension.
    public var keyUsage: KeyUsage

    /// A profile with the key usage that suits it.
    public init(
        commonName: String, notBefore: Instant, notAfter: Instant, isAuthority: Bool = false,
        pathLength: Int? = nil,
        markers: [String] = [], curve: Curve = .p256
    ) {
        self.commonName = commonName
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.isAuthority = isAuthority
        self.pathLength = pathLength
        self.markers = markers
        self.curve = curve
        keyUsage = isAuthority ? [.keyCertSign, .cRLSign] : .digitalSignature
    }
}
