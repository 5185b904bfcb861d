import OfferAPI
import OfferModel
import OfferStore

extension Timeline {
    /// Offers issued, withdrawn and passed over.
    var issuedEntries: [TimelineEntry] {
        let purchases = history.purchases
        return issued.flatMap { offer -> [TimelineEntry] in
            var entries = [
                offer.issuedOffer.entry(
                    state: offer.issuedOffer.state(at: now, redemptions: redemptions + usesByOthers))
            ]
            let name = "the offer `\(offer.issuedOffer.offerId)`"
            if let voidedAt = offer.issuedOffer.voidedAt {
                let reason = offer.voidReason.map { $0.hasPrefix(Redacted.prefix) ? "" : ": \($0)" } ?? ""
                entries.append(
                    TimelineEntry(
                        .voided, at: voidedAt, "\(name) was voided\(reason) (issued offer \(offer.issuedOffer.id))"))
            }
            if let id = offer.fullPriceTransactionId,
                let purchase = purchases.purchase(id)
            {
                entries.append(
                    TimelineEntry(
                        .boughtAtFullPrice, at: purchase.payload.purchaseDate,
                        "\(name) was signed but not used: the customer paid full price for `\(purchase.payload.productId)` right "
                            + "after (transaction \(id))"))
            }
            return entries
        }
    }

    /// What was granted and revoked, by the ids of the API keys and the names of who used them, as the audit has them.
    var grantEntries: [TimelineEntry] {
        grants.flatMap { stored -> [TimelineEntry] in
            let grant = stored.grant
            let name = "the offer `\(grant.offerId)`"
            let end = grant.expiresAt.map { ", until \($0)" } ?? ""
            let reason = stored.reason.map { ": \($0)" } ?? ""
            let author = RecordedActor(stored.actor)
            let entry = TimelineEntry(
                .granted, at: grant.grantedAt,
                "key \(author.words)\(author.person == nil ? "" : ",") granted \(name) once\(end)\(reason) "
                    + "(grant \(grant.id), \(grant.state(at: now).rawValue) now)")
            guard let revokedAt = grant.revokedAt else { return [entry] }
            let revoker = stored.revokedBy.map { " by key \(RecordedActor($0).words)" } ?? ""
            return [
                entry,
                TimelineEntry(
                    .grantRevoked, at: revokedAt, "the grant of \(name) was revoked\(revoker) (grant \(grant.id))"),
            ]
        }
    }

    var redemptionEntries: [TimelineEntry] {
        let names = Dictionary(issued.map { ($0.issuedOffer.id, $0.issuedOffer.offerId) }) { first, _ in first }
        let own = redemptions.map {
            ($0, $0.issuedOfferId.map { names[$0] == nil } == true ? "issued to another customer" : nil)
        }
        let others = usesByOthers.map { ($0, "by another customer, with the `appAccountToken` it was signed for") }
        return (own + others).map { redemption, whose in
            let known = redemption.issuedOfferId.flatMap { names[$0] }.map { "the offer `\($0)`" }
            let name = redemption.offerIdentifier.map { "the offer `\($0)`" } ?? "the introductory offer"
            var remarks = [redemption.issuedOfferId.map { "issued offer \($0)" } ?? "not issued by us"]
            if let whose { remarks.append(whose) }
            if redemption.isDoubled { remarks.append("used before") }
            if redemption.isLate { remarks.append("after it stopped counting") }
            if redemption.transactionId == nil, redemption.offerEnds == nil {
                remarks.append("waits for the next renewal")
            }
            return TimelineEntry(
                .redeemed, at: redemption.firstEvidence,
                "\(known ?? name) was redeemed (\(remarks.joined(separator: "; ")))")
        }
    }
}

extension IssuedOffer {
    fileprivate func entry(state: IssuedOfferState) -> TimelineEntry {
        let whose = signUp.map { " to \($0.words)" } ?? ""
        let signed =
            (signings > 1 ? ", signed \(signings) times" : "") + (grantId == nil ? "" : ", by a grant of support")
        return TimelineEntry(
            .issued, at: issuedAt,
            "the offer `\(offerId)` was issued for `\(productId)`\(whose) (\(state.rawValue) now\(signed))")
    }
}

extension RefusedDay {
    /// The entry without the reason, which needs a replay.
    var entry: TimelineEntry {
        let times = count == 1 ? "" : " \(count) times on \(last.description.prefix { $0 != "T" }), the last time"
        let answer = outcome == .undetermined ? "could not be decided" : "was refused"
        return TimelineEntry(.refused, at: last, "the offer `\(offerId)` \(answer)\(times)")
    }

    /// - Parameter again: decides a record again, for the sentence that says why; throws or `nil` where that cannot be
    ///   said.
    func explained(_ again: (DecisionRecord, OfferId) throws -> Decision?) -> TimelineEntry {
        let entry = entry
        return TimelineEntry(.refused, at: last, "\(entry.message): \(reason(again))")
    }

    private func reason(_ again: (DecisionRecord, OfferId) throws -> Decision?) -> String {
        guard let record, let read = try? DecisionRecord(stored: record) else { return "why is not kept any more" }
        let decision = read.decision(explainedBy: try? again(read, offerId))
        let told = decision.told
        return (told.finding?.message ?? "the record names no reason")
            + (told.others > 0 ? " (and \(told.others) more)" : "")
    }
}

extension RecordedMerge {
    var entry: TimelineEntry {
        let known = aliases.map(\.words)
        let names = known.isEmpty ? "" : ", known to the app as \(known.joined(separator: ", ")),"
        // Of who was erased a digest is left.
        let first = storedUnder.hasPrefix(Redacted.prefix) ? "" : " as `\(storedUnder)`"
        return TimelineEntry(
            .merged, at: mergedAt,
            "the customer first stored\(first) on \(firstStoredAt.minute)\(names) was proven to be the same Apple "
                + "Account\(proof.map { ": \($0.words)" } ?? "")")
    }
}

extension StoredNotification {
    var entry: TimelineEntry {
        let detail = subtype.map { ", `\($0.rawValue)`" } ?? ""
        let reference = transactionId.map { "transaction \($0)" }
        let way = source == .fetched ? "fetched from its notification history" : nil
        let remarks = [reference, way].compactMap(\.self).joined(separator: "; ")
        return TimelineEntry(
            .notified, at: signedDate,
            "the App Store reported `\(type.rawValue)`\(detail)\(remarks.isEmpty ? "" : " (\(remarks))")")
    }
}

extension CustomerAlias {
    fileprivate var words: String {
        switch self {
        case .appAccountToken(let token): "`appAccountToken` `\(token)`"
        case .customerId(let id): "`customerId` `\(id)`"
        }
    }
}

extension MergeProof {
    fileprivate var words: String {
        let payload = transactionId.map { "the data of transaction \($0)" } ?? "one payload of Apple's"
        let names = identifiers.map { identifier in
            switch identifier {
            case .originalTransactionId(let id): "`originalTransactionId` `\(id)`"
            case .appTransactionId(let id): "`appTransactionId` `\(id)`"
            }
        }
        return "\(payload), \(provenance.origin), names \(names.joined(separator: " and ")) together"
    }
}
