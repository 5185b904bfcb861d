import OfferEligibility
import OfferModel
import OfferStore

/// An order with all that its answer rests on.
struct AskedOrder: Sendable {
    var order: IssueOrder
    /// The identifiers that the order's signed data proves.
    var signed: [ProvenIdentifier]
    var scope: Scope
    var snapshot: Snapshot
    var question: Question
    var decision: Decision
    var plan: SigningPlan
    /// The slot that asking again uses.
    var open: OpenSlot?
    /// Its newest signing, if it can be handed out again.
    var stored: [RecordedSignature]

    /// Whether nothing that the answer rests on has changed since it was read.
    func stillHolds(in number: ScopeNumber, _ transaction: any StoreTransaction) throws -> Bool {
        try snapshot.stillHolds(order.customer, signed: signed, in: number, transaction)
    }

    /// The catalog revision the slot belongs to.
    var catalogRevision: Int { open?.catalogRevision ?? snapshot.catalogRevision }
}

/// An open slot as it is stored, with its newest signing (DESIGN §5.3).
struct OpenSlot: Sendable {
    var slot: Slot
    /// The catalog it was issued on.
    var catalogRevision: Int
    /// The artefacts of its newest signing.
    var newestSigning: [RecordedSignature]

    /// The newest signing, if it is what the plan would make and has enough life left; empty if a new one is needed.
    func signatures(for plan: SigningPlan, fresh: Bool, at now: Instant, _ policy: Policy) -> [RecordedSignature] {
        guard !fresh, let timestamp = newestSigning.first?.timestamp, plan.matches(newestSigning) else { return [] }
        let life = timestamp.adding(milliseconds: policy.signatureLife).milliseconds(since: now)
        return life >= policy.storedSignatureMinimumLife ? newestSigning : []
    }
}

extension Offer {
    /// The product that is asked for.
    ///
    /// - Throws: ``RequestError/productRequired(offerId:products:)`` if the offer has several and none is named.
    func product(asked: ProductId?) throws -> ProductId {
        if let asked { return asked }
        guard products.count == 1, let only = products.first else {
            throw RequestError.productRequired(offerId: id, products: products)
        }
        return only
    }
}
