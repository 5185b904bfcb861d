public import OfferModel

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
    /// - Throws: ``SignedDataRefusal``, naming the certificate or the claim at fault.
    func verify(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal)
}
