/// Why signed data was refused.
public struct SignedDataRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The closed list of causes; `openapi.yaml` and the docs list the same.
    public enum Code: String, Sendable, Hashable, CaseIterable, Codable {
        /// Not three base64url parts with a JSON header.
        case malformedJws
        /// The header's `alg` is not `ES256`.
        case unsupportedAlgorithm
        /// Not exactly three certificates in `x5c`.
        case certificateCount
        /// A certificate is not X.509, or not in the one way in which DER spells it.
        case malformedCertificate
        /// The third certificate is not a trusted root of this environment.
        case untrustedRoot
        /// A certificate is not signed by the next one.
        case brokenChain
        /// A certificate is an authority where it must not be, or is none where it must be.
        case wrongBasicConstraints
        /// A certificate has a critical extension that is not understood here, so it must not be used (RFC 5280 §4.2).
        case unknownCriticalExtension
        /// The leaf lacks Apple's receipt-signing extension, 1.2.840.113635.100.6.11.1.
        case missingLeafExtension
        /// The intermediate lacks Apple's WWDR extension, 1.2.840.113635.100.6.2.1.
        case missingIntermediateExtension
        /// A certificate was not valid at the payload's date.
        case certificateNotValidAtDate
        /// The leaf's key is not P-256.
        case unsupportedKey
        /// The request brings data under more certificate chains than Apple has in use at a time.
        case tooManyChains
        /// The signature does not belong to the leaf's key and the signed bytes.
        case badSignature
        /// The payload is not the JSON that its kind of data must be.
        case malformedPayload
        /// The payload has no `signedDate` (or `receiptCreationDate`), so validity cannot be judged.
        case missingSignedDate
        /// The payload is dated more than 60 s ahead of the clock.
        case signedInFuture
        /// The payload belongs to another app.
        case wrongBundleId
        /// The payload belongs to another environment.
        case wrongEnvironment
        /// The payload belongs to another Apple app id.
        case wrongAppAppleId
        /// Xcode's one-certificate data cannot be verified and is refused.
        case environmentNotSupported
    }

    /// The cause.
    public let code: Code
    /// One lower-case line for people, naming the certificate or the claim, with offending values in backticks.
    ///
    /// Whoever sent the data chose those values, so a control character is shown as U+FFFD and a long line is cut.
    public let detail: String
    /// The payload's member at fault, a nested one as `commitmentInfo.commitmentPrice`; absent if no single one is.
    public let member: String?

    /// The longest ``detail``, in bytes of UTF-8.
    public static let longestDetail = 512

    /// A refusal by its parts.
    public init(_ code: Code, _ detail: String, member: String? = nil) {
        self.code = code
        self.detail = OneLine.of(detail, atMost: Self.longestDetail)
        self.member = member
    }

    /// `badSignature: …`.
    public var description: String { "\(code.rawValue): \(detail)" }
}
