/// Why a certificate could not be made, read or trusted. For operators; data of the App Store is refused with
/// `SignedDataRefusal` instead.
public struct CertificateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The closed list of causes.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Not the DER of one X.509 certificate.
        case malformedCertificate
        /// A certificate and a private key that do not belong together.
        case keyMismatch
        /// A profile that no certificate can have, such as a marker that is no object identifier.
        case unusableProfile
        /// A trusted root that is not signed by its own key.
        case rootNotSelfSigned
        /// An additional root for an environment that allows none: Production and Xcode.
        case rootNotAllowed
    }

    /// The cause.
    public let code: Code
    /// One lower-case line for people.
    public let detail: String
    /// What to do next.
    public let hint: String

    init(_ code: Code, _ detail: String, hint: String) {
        self.code = code
        self.detail = detail
        self.hint = hint
    }

    /// The detail.
    public var description: String { detail }
}
