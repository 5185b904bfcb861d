public import OfferAPI
public import OfferModel
import OfferStore

// What these modules keep to themselves, for the target of the fuzzer.

extension ImportedHistory {
    /// The purchases as they would be staged, or why the line is refused.
    public func admitted(to scope: Scope, catalog: Catalog, now: Instant) -> Result<[[UInt8]], ImportRefusal> {
        ImportAdmission(scope: scope, now: now, catalog: catalog)
            .staged(ImportLine(number: 1, end: 1, content: .success(self))).map { $0.map(\.payload) }
    }
}

extension Inquiry {
    /// What it asks about an offer.
    public func question(
        _ offer: Offer, productId: ProductId, of compiled: CompiledCatalog, scope: Scope, at now: Instant
    ) -> Question {
        Question(
            compiled.compiledOffer(offer.id) ?? CompiledOffer(offer), productId: productId, of: compiled, scope: scope, at: now, pause: .none, pausedUntil: nil,
            signals: signals, request: request, signUp: SignUp(), needsNewSigning: true,
            formats: Set(SignatureFormat.allCases), takesHistoryAsProven: true)
    }
}

extension InquiryAnswer {
    public init(_ decisions: [OfferDecision], _ choice: Choice?) { self.init(decisions: decisions, choice: choice) }
}

extension OfferDecision {
    public init(_ offer: Offer, _ decision: Decision, _ outlook: Outlook) {
        self.init(offer: offer, decision: decision, outlook: outlook)
    }
}
