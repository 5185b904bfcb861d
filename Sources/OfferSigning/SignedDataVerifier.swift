public import OfferModel

/// The root that verified data leads to.
public enum TrustAnchor: Sendable, Hashable {
    /// Apple Root CA - G3: the App Store itself signed, and dated by its own clock.
    case apple
    /// A root that keys.yaml names, for tests.
    case configured
}

/// Decides whether data that claims to come from the App Store does.
public protocol SignedDataVerifier: Sendable {
    /// Checks the certificate chain of a JWS for the environment at its effective date, then its signature.
    ///
    /// The environment is the caller's, from the configuration or the path; never the payload's word (invariant 6).
    ///
    /// - Parameters:
    ///   - jws: the data as received.
    ///   - date: `signedDate`, or `receiptCreationDate` of an app transaction: the certificates must be valid then.
    ///   - environment: the environment whose roots are trusted.
    @discardableResult
    func verify(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> TrustAnchor

    /// Makes those of the same checks that need no public-key work, so that all data of a request can be looked at
    /// before any of it costs something. What passes is not verified.
    ///
    /// - Throws: ``SignedDataRefusal``, as ``verify(_:effectiveDate:environment:)`` does.
    func examine(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal)

    /// The same verifier for the data of one request, with a bound on how much public-key work that may cost.
    func forOneRequest() -> any SignedDataVerifier
}

extension SignedDataVerifier {
    /// Nothing is found without the work.
    public func examine(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) {}

    public func forOneRequest() -> any SignedDataVerifier { self }
}

/// Why signed data was refused.
public struct SignedDataRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The closed list of causes; `openapi.yaml` and the docs list the same.
    public enum Code: String, Sendable, Hashable, CaseIterable, Codable {
        case malformedJws
        /// The header's `alg` is not `ES256`.
        case unsupportedAlgorithm
        case certificateCount
        /// A certificate is not X.509, or not in the one way in which DER spells it.
        case malformedCertificate
        /// The third certificate is not a trusted root of this environment.
        case untrustedRoot
        case brokenChain
        /// A certificate is an authority where it must not be, or is none where it must be.
        case wrongBasicConstraints
        /// A certificate has a critical extension that is not understood here, so it must not be used (RFC 5280 §4.2).
        case unknownCriticalExtension
        /// The leaf lacks Apple's receipt-signing extension, 1.2.840.113635.100.6.11.1.
        case missingLeafExtension
        /// The intermediate lacks Apple's WWDR extension, 1.2.840.113635.100.6.2.1.
        case missingIntermediateExtension
        case certificateNotValidAtDate
        case unsupportedKey
        /// The request brings data under more certificate chains than Apple has in use at a time.
        case tooManyChains
        case badSignature
        /// The payload is not the JSON that its kind of data must be.
        case malformedPayload
        /// The payload has no `signedDate` (or `receiptCreationDate`), so validity cannot be judged.
        case missingSignedDate
        /// The payload is dated more than 60 s ahead of the clock.
        case signedInFuture
        case wrongBundleId
        case wrongEnvironment
        case wrongAppAppleId
        /// Data of Xcode, and no certificate of Xcode is configured.
        case environmentNotSupported
    }

    public let code: Code
    /// One lower-case line for people, naming the certificate or the claim, with offending values in backticks.
    ///
    /// The sender chose those values, so a control character is shown as U+FFFD and a long line is cut.
    public let detail: String
    /// The payload's member at fault, a nested one as `commitmentInfo.commitmentPrice`; absent if no single one is.
    public let member: String?
    /// The hint: what to send or to set instead, where that is known.
    public var hint: String?

    /// The longest ``detail``, in bytes of UTF-8.
    public static let longestDetail = 512

    public init(_ code: Code, _ detail: String, member: String? = nil, hint: String? = nil) {
        self.code = code
        self.detail = OneLine.of(detail, atMost: Self.longestDetail)
        self.member = member
        self.hint = hint
    }

    public var description: String { "\(code.rawValue): \(detail)" }

    /// The hint does not count: it belongs to the same refusal.
    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.detail == right.detail && left.member == right.member
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(detail)
        hasher.combine(member)
    }

    /// Throws a refusal unless the condition holds.
    public static func require(
        _ condition: Bool, _ code: Code, _ detail: @autoclosure () -> String, member: String? = nil
    ) throws(SignedDataRefusal) {
        guard condition else { throw SignedDataRefusal(code, detail(), member: member) }
    }
}

/// Untrusted text made safe for one line of an answer or a log.
public enum OneLine {
    /// The text with U+FFFD for each control character and line separator, cut with `…` at the limit of UTF-8 bytes.
    public static func of(_ text: String, atMost bytes: Int) -> String {
        if text.utf8.count <= bytes, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        let shown = text.unicodeScalars.map { isBreaking($0) ? "\u{FFFD}" : $0 }
        let length = shown.reduce(0) { $0 + UTF8.width($1) }
        var line = String.UnicodeScalarView()
        guard length > bytes else {
            line.append(contentsOf: shown)
            return String(line)
        }
        var room = bytes - UTF8.width("…")
        for scalar in shown {
            room -= UTF8.width(scalar)
            guard room >= 0 else { break }
            line.append(scalar)
        }
        line.append("…")
        return String(line)
    }

    private static func isBreaking(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: true
        default: false
        }
    }
}
