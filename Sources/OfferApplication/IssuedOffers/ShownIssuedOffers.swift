import OfferAPI
import OfferModel
import OfferStore

extension IssuedOfferView {
    init(
        _ issuedOffer: IssuedOffer, catalogRevision: Int, scope: Scope, signatures: [RecordedSignature],
        decisionId: LowercaseUUID, state: IssuedOfferState, ignored: [IgnoredData]? = nil
    ) {
        self.init()
        issuedOfferId = issuedOffer.id
        self.decisionId = decisionId
        offerId = issuedOffer.offerId
        offerType = issuedOffer.offerType
        delivery = issuedOffer.delivery
        offerIdentifier = issuedOffer.offerIdentifier
        productId = signatures.last?.productId ?? issuedOffer.productId
        bundleId = scope.bundleId
        environment = scope.environment
        keyId = signatures.first?.keyId
        self.state = state
        issuedAt = issuedOffer.issuedAt
        expiresAt = issuedOffer.expiresAt
        grantId = issuedOffer.grantId
        self.catalogRevision = catalogRevision
        self.ignored = ignored
        for signature in signatures where !signature.isRemoved {
            switch signature.format {
            case .v1:
                self.signatures.v1 = SignatureV1Body { body in
                    body.keyId = signature.keyId
                    body.nonce = signature.nonce
                    body.timestamp = signature.timestamp
                    body.signature = signature.artefact
                    body.appAccountToken = signature.appAccountToken?.description ?? ""
                }
            case .v2:
                self.signatures.v2 = SignatureV2Body { $0.jws = signature.artefact }
            case .introductoryEligibility:
                self.signatures.introductoryEligibility = signature.introductoryEligibility
            }
        }
    }
}

extension RecordedSignature {
    /// The artefact as StoreKit takes it, if it is a statement on the introductory offer.
    var introductoryEligibility: IntroductoryEligibilityBody? {
        guard format == .introductoryEligibility, let allowIntroductoryOffer else { return nil }
        return IntroductoryEligibilityBody {
            ($0.jws, $0.allowIntroductoryOffer) = (artefact, allowIntroductoryOffer)
        }
    }
}

/// Issued offers as they are stored, with what tells where they stand; the telling needs no database.
struct ShownIssuedOffers: Sendable {
    private let rows: [(issued: StoredIssuedOffer, newest: Signing)]
    /// The facts of each owner, or of all of them together.
    private let facts: [CustomerNumber: SubjectFacts]

    /// - Parameter united: what is known of the whole subject, where the owners are one; each owner's own if absent.
    init(
        _ issued: [StoredIssuedOffer], united: SubjectFacts? = nil, in number: ScopeNumber,
        _ transaction: any StoreTransaction
    ) throws {
        rows = try issued.map { ($0, try IssuedOfferStore(transaction).newestSigning(of: $0)) }
        var facts: [CustomerNumber: SubjectFacts] = [:]
        for offer in issued where facts[offer.customer] == nil {
            facts[offer.customer] = try united ?? SubjectFacts.read([offer.customer], transaction)
        }
        self.facts = facts
    }

    /// One view a row, in their order.
    func offers(for caller: Caller, at now: Instant) -> [IssuedOfferView] {
        let redemptions = facts.mapValues { $0.redemptions() }
        return rows.map { issued, newest in
            var offer = IssuedOfferView(
                issued.issuedOffer, catalogRevision: Int(issued.catalogRevision), scope: caller.scope,
                signatures: newest.signatures, decisionId: newest.decisionId,
                state: issued.issuedOffer.state(at: now, redemptions: redemptions[issued.customer] ?? []))
            offer.voidedAt = issued.issuedOffer.voidedAt
            offer.released = issued.issuedOffer.voidedAt.map { _ in issued.issuedOffer.isReleased }
            offer.voidReason = caller.role.isStaff ? issued.voidReason : nil
            return offer
        }
    }
}
