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
}
