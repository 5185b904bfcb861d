import OfferEligibility
import OfferModel

extension Question {
    /// The question about one offer of a catalog: whoever asks, issuing, dry-run or replay, the catalog says the same
    /// about the offer's group and about its other offers (invariant 4).
    init(
        _ offer: Offer, productId: ProductId, of compiled: CompiledCatalog, scope: Scope, at now: Instant, pause: Pause,
        signals: [String: FactValue], request: DeviceRequest, signUp: SignUp, needsNewSigning: Bool,
        formats: Set<SignatureFormat>, takesHistoryAsProven: Bool
    ) {
        let group = compiled.group(of: productId)
        self.init(
            now: now, scope: scope, offer: compiled.compiled(offer), productId: productId,
            subscriptionGroupIdentifier: group?.id, catalog: compiled, pause: pause, signals: signals,
            needsNewSigning: needsNewSigning, takesHistoryAsProven: takesHistoryAsProven,
            groupProducts: group?.productIds ?? [], products: group?.products ?? [], request: request)
        self.signUp = signUp
        self.formats = formats
    }
}
