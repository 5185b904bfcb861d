import OfferAPI
import OfferApplication
import OfferEligibility
import OfferModel

/// What happened to a customer, oldest first, in sentences.
enum CustomerTimeline {
    static func entries(_ story: CustomerStory) -> [TimelineEntryBody] {
        let transactions = story.history.currentTransactions.map(\.payload)
        let bought = transactions.flatMap { entries(for: $0, among: transactions, now: story.now) }
        let issued = story.issuedOffers.flatMap { entries(for: $0, among: transactions) }
        let redeemed = story.redemptions.map { entry(for: $0, story.issuedOffers) }
        return (bought + issued + redeemed).sorted { ($0.at, $0.kind, $0.message) < ($1.at, $1.kind, $1.message) }
    }

    private static func entries(for issued: IssuedOffer, among all: [Transaction]) -> [TimelineEntryBody] {
        let offer = "the offer `\(issued.offerId)`"
        var entries = [
            TimelineEntryBody(
                at: issued.issuedAt, kind: "issued",
                message: "\(offer) was issued for `\(issued.productId)` (\(issued.state.rawValue) now)")
        ]
        if let voidedAt = issued.voidedAt {
            entries.append(
                TimelineEntryBody(
                    at: voidedAt, kind: "voided", message: "\(offer) was voided (issued offer \(issued.id))"))
        }
        if let id = issued.fullPriceTransactionId, let purchase = all.first(where: { $0.transactionId == id }) {
            entries.append(
                TimelineEntryBody(
                    at: purchase.purchaseDate, kind: "boughtAtFullPrice",
                    message: "\(offer) was signed and not used: bought at full price right after (transaction \(id))"))
        }
        return entries
    }

    private static func entry(for redemption: Redemption, _ offers: [IssuedOffer]) -> TimelineEntryBody {
        let name = redemption.offerIdentifier.map { "the offer `\($0)`" } ?? "the introductory offer"
        let offer = redemption.slotId.flatMap { id in offers.first { $0.id == id } }.map { "the offer `\($0.offerId)`" }
        var remarks = [redemption.slotId.map { "issued offer \($0)" } ?? "not issued by us"]
        if redemption.isDoubled { remarks.append("used before") }
        if redemption.isLate { remarks.append("after it stopped counting") }
        if redemption.transactionId == nil { remarks.append("waits for the next renewal") }
        return TimelineEntryBody(
            at: redemption.firstEvidence, kind: "redeemed",
            message: "\(offer ?? name) was redeemed (\(remarks.joined(separator: "; ")))")
    }

    private static func entries(
        for transaction: Transaction, among all: [Transaction], now: Instant
    ) -> [TimelineEntryBody] {
        let isFirst = transaction.transactionId == transaction.originalTransactionId
        let product = "`\(transaction.productId)`"
        let offer = transaction.offerIdentifier.map { " with the offer `\($0)`" } ?? ""
        let transactionId = "transaction \(transaction.transactionId)"
        var entries = [
            TimelineEntryBody(
                at: transaction.purchaseDate, kind: isFirst ? "purchased" : "renewed",
                message: "\(product) was \(isFirst ? "bought" : "renewed")\(offer) (\(transactionId))")
        ]
        if let revoked = transaction.revocationDate {
            entries.append(
                TimelineEntryBody(
                    at: revoked, kind: "revoked", message: "Apple took \(product) back (\(transactionId))"))
        } else if let expires = transaction.expiresDate, expires <= now, !isContinued(transaction, until: expires, all)
        {
            entries.append(
                TimelineEntryBody(at: expires, kind: "expired", message: "\(product) ran out (\(transactionId))"))
        }
        return entries
    }

    /// Whether a later period of the same subscription begins before this one ends, or as it does.
    private static func isContinued(_ transaction: Transaction, until end: Instant, _ all: [Transaction]) -> Bool {
        all.contains {
            $0.originalTransactionId == transaction.originalTransactionId
                && $0.transactionId != transaction.transactionId && $0.purchaseDate > transaction.purchaseDate
                && $0.purchaseDate <= end
        }
    }
}
