import OfferModel
import OfferSigning

/// Lets the chain of a test stand for Apple's in Production, whose only root is Apple's own: the claims that Production
/// alone is held to could not be tried otherwise.
struct ProductionStandIn: SignedDataVerifier {
    let verifier: any SignedDataVerifier

    func verify(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> TrustAnchor {
        try verifier.verify(jws, effectiveDate: date, environment: .sandbox)
    }
}
