public import OfferModel

/// Whose root stands behind verified data.
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
    /// - Returns: whose root the chain leads to.
    /// - Throws: ``SignedDataRefusal``, naming the certificate or the claim at fault.
    @discardableResult
    func verify(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> TrustAnchor

    /// Makes those of the same checks that need no public-key work, so that all data of a request can be looked at before
    /// any of it costs something. What passes is not verified.
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

    /// There is no bound.
    public func forOneRequest() -> any SignedDataVerifier { self }
}
