package import OfferAPI
package import OfferModel
import OfferStore

/// Issued offers with what the audit holds of them, for accounting.
public struct IssuedOfferExport: Sendable {
    let database: any StoreDatabase
    let catalogs: CompiledCatalogs
    let clock: RequestClock
    let work: LongWork

    /// A page of issued offers in the order they were issued.
    ///
    /// - Parameters:
    ///   - from: only those issued then or later.
    ///   - to: only those issued before.
    /// - Throws: `unknownOffer` for an offer that the catalog in force does not have and that was never issued,
    ///   `noCatalog`, `unusableParameter` for a range that is empty, `busy`, and what the store throws: nothing to export is no answer to a
    ///   mistyped question.
    package func page(
        offerId: OfferId? = nil, from: Instant? = nil, to: Instant? = nil, limit: Int, after: Int64?, caller: Caller
    ) async throws -> PageBody<ExportedOffer> {
        if let from, let to, to <= from {
            throw RequestError.unusableParameter(
                name: "to", detail: "the range ends at `\(to)`, but it begins at `\(from)`",
                hint: "a range holds what was issued from `from` on and before `to`")
        }
        return try await work.read(database) { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else {
                if offerId != nil { throw RequestError.noCatalog(caller.scope) }
                return PageBody(items: [], next: nil)
            }
            if let offerId,
                try IssuedOfferStore(transaction).firstIssued(of: offerId, in: number) == nil,
                try !catalogs.offersInForce(of: number, in: caller.scope, transaction).contains(where: {
                    $0.id == offerId
                })
            {
                throw try CompiledCatalogs.unknown(offerId, of: number, in: caller.scope, transaction)
            }
            // One more than asked for tells whether there is another page.
            let found = try IssuedOfferStore(transaction).page(
                offer: offerId, from: from, to: to, after: after, limit: limit + 1, in: number)
            let shown = Array(found.prefix(limit))
            let now = try clock.tolerantInstant(transaction)
            let offers = try ShownIssuedOffers(shown, in: number, transaction).offers(for: caller, at: now)
            let uses = try OfferUses(of: shown, at: now, transaction)
            let items = try zip(shown, offers).map { issued, offer in
                try ExportedOffer { exported in
                    exported.offer = offer
                    exported.signings = issued.issuedOffer.signings
                    exported.add(issued.issuedOffer, uses)
                    exported.proof = try CheckpointStore(transaction).proof(of: issued).map(IssuedOfferProof.init)
                }
            }
            return PageBody(
                items: items, next: found.count > limit ? shown.last.map { ListCursor.export.text($0.sequence) } : nil)
        }
    }
}

extension ExportedOffer {
    /// Adds what it costs, its uses and what was paid after them.
    fileprivate mutating func add(_ issued: IssuedOffer, _ uses: OfferUses) {
        discount = issued.cost.map { Price($0) }
        redemptions = uses.redemptions[issued.id]?.sorted { $0.firstEvidence < $1.firstEvidence }.map { redemption in
            ExportedRedemption { $0.redeemedAt = redemption.firstEvidence }
        }
        let payments = uses.payments[issued.id] ?? []
        guard !payments.isEmpty else { return }
        self.payments = payments.sorted { $0.paidAt < $1.paidAt }.map { payment in
            ExportedPayment { ($0.paidAt, $0.price) = (payment.paidAt, Price(payment.price)) }
        }
    }
}

extension IssuedOfferProof {
    fileprivate init(_ proof: LedgerProof) {
        self.init()
        eventSequence = proof.eventSequence
        eventHash = Hexadecimal.lowercase(proof.eventHash)
        previousHash = Hexadecimal.lowercase(proof.previousHash)
        rowDigest = Hexadecimal.lowercase(proof.rowDigest)
        checkpoint = proof.checkpoint.map { checkpoint in
            CheckpointBody { body in
                body.number = checkpoint.number
                body.eventSequence = checkpoint.eventSequence
                body.head = Hexadecimal.lowercase(checkpoint.head)
                body.signedAt = checkpoint.signedAt
                body.keyFingerprint = checkpoint.keyFingerprint
                body.signature = Hexadecimal.lowercase(checkpoint.signature)
            }
        }
    }
}
