import OfferEligibility
public import OfferModel
public import OfferSigning
import OfferStore

/// One issued offer with the artefacts of its newest signing.
public struct IssuedOfferView: Sendable, Hashable {
    public var id: LowercaseUUID
    public var decisionId: LowercaseUUID
    public var scope: Scope
    public var offerId: OfferId
    public var offerType: OfferType
    public var delivery: Delivery
    /// Apple's name of the offer; absent for introductory ones.
    public var offerIdentifier: OfferIdentifier?
    public var productId: ProductId
    public var state: SlotState
    public var issuedAt: Instant
    public var expiresAt: Instant
    public var voidedAt: Instant?
    /// The purchase at full price that the customer made right after a signature, if nothing has used the offer.
    public var fullPriceTransactionId: TransactionId?
    public var catalogRevision: Int
    public var v1: PromotionalOfferSignatureV1?
    public var v2: PromotionalOfferSignatureV2?
    /// The newest signing's statement on the introductory offer.
    public var introductoryEligibility: IntroductoryOfferEligibilitySignature?
    /// The key that signed; absent where nothing is signed.
    public var keyId: KeyId?
}

extension IssuedOfferView {
    init(
        _ slot: Slot, catalogRevision: Int, scope: Scope, signatures: [RecordedSignature], decisionId: LowercaseUUID,
        state: SlotState
    ) {
        self.init(
            id: slot.id, decisionId: decisionId, scope: scope, offerId: slot.offerId, offerType: slot.offerType,
            delivery: slot.delivery, offerIdentifier: slot.offerIdentifier, productId: slot.productId, state: state,
            issuedAt: slot.issuedAt, expiresAt: slot.expiresAt, catalogRevision: catalogRevision,
            keyId: signatures.first?.keyId)
        voidedAt = slot.voidedAt
        for signature in signatures {
            productId = signature.productId
            guard !signature.isRemoved else { continue }
            switch signature.format {
            case .v1:
                v1 = PromotionalOfferSignatureV1(
                    keyId: signature.keyId, nonce: signature.nonce, timestamp: signature.timestamp,
                    signature: signature.artefact, appAccountToken: signature.appAccountToken)
            case .v2:
                v2 = PromotionalOfferSignatureV2(jws: signature.artefact)
            case .introductoryEligibility:
                introductoryEligibility = signature.introductoryEligibility
            }
        }
    }
}

extension RecordedSignature {
    /// The artefact as StoreKit takes it, if it is a statement on the introductory offer.
    var introductoryEligibility: IntroductoryOfferEligibilitySignature? {
        guard format == .introductoryEligibility, let allowIntroductoryOffer else { return nil }
        return IntroductoryOfferEligibilitySignature(jws: artefact, allowIntroductoryOffer: allowIntroductoryOffer)
    }
}

/// Issued offers as they are stored, with what tells where they stand; the telling needs no database.
struct IssuedOfferRows: Sendable {
    private let issued: [IssuedOffer]
    private let signings: [LowercaseUUID: Signing]
    /// What is known of each owner, or of all of them together.
    private let facts: [CustomerNumber: SubjectFacts]

    /// Reads the rest of some rows.
    ///
    /// - Parameter united: what is known of the whole subject, where the owners are one; each owner's own if absent.
    init(
        _ issued: [IssuedOffer], united: SubjectFacts? = nil, in number: ScopeNumber,
        _ transaction: any StoreTransaction
    ) throws {
        self.issued = issued
        var signings: [LowercaseUUID: Signing] = [:]
        var facts: [CustomerNumber: SubjectFacts] = [:]
        for offer in issued {
            signings[offer.slot.id] = try SlotStore(transaction).newestSigning(of: offer)
            if facts[offer.customer] == nil {
                facts[offer.customer] = try united ?? SubjectFacts.read([offer.customer], transaction)
            }
        }
        self.signings = signings
        self.facts = facts
    }

    func offers(scope: Scope, at now: Instant) -> [IssuedOfferView] {
        let redemptions = facts.mapValues { $0.redemptions() }
        return issued.compactMap { offer in
            guard let newest = signings[offer.slot.id] else { return nil }
            var shown = IssuedOfferView(
                offer.slot, catalogRevision: Int(offer.catalogRevision), scope: scope,
                signatures: newest.signatures, decisionId: newest.decisionId,
                state: offer.slot.state(at: now, redemptions: redemptions[offer.customer] ?? []))
            shown.fullPriceTransactionId = offer.fullPriceTransactionId
            return shown
        }
    }
}
