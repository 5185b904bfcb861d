import OfferModel
import OfferSigning

/// A judge that takes a test's root for Apple's own, for which nobody but Apple can sign.
struct VouchedByApple: SignedDataVerifier {
    let judge: any SignedDataVerifier

    func verify(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> TrustAnchor {
        try judge.verify(jws, effectiveDate: date, environment: environment)
        return .apple
    }
}
