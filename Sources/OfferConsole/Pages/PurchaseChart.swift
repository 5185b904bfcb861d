import OfferAPI
import OfferModel

/// A customer's purchases as bars on one axis of time, with the offers that were issued and used.
///
/// Each bar and each mark has its words, so that the drawing says nothing that the text beside it does not.
struct PurchaseChart {
    /// The width of the drawing; heights are the template's.
    private static let width: Int64 = 1_000
    /// The least width of a bar: a week in ten years still shows.
    private static let least: Int64 = 3

    private let start: Instant
    private let end: Instant
    private let rows: [[String: Any]]
    private let marks: [[String: Any]]

    /// - Parameters:
    ///   - groups: what says of grace and billing retry.
    ///   - now: where the axis ends, unless something that was bought ends later.
    /// - Returns: `nil` if nothing has a period.
    init?(_ details: CustomerDetails, groups: [GroupStatus], now: Instant) {
        let periods = details.transactions.filter { $0.expiresDate != nil }
        guard let first = periods.map(\.purchaseDate).min() else { return nil }
        // What was refunded does not stretch the axis beyond its refund.
        let paid = periods.compactMap { $0.revocationDate ?? $0.expiresDate }
        let ends = paid + groups.compactMap(\.gracePeriodExpiresAt) + [now]
        let (start, end) = (first, max(ends.max() ?? now, first.adding(milliseconds: Instant.Duration.day)))
        self.start = start
        self.end = end
        func place(_ instant: Instant) -> Int64 {
            let shown = min(max(instant, start), end).milliseconds(since: start)
            let (high, low) = Self.width.multipliedFullWidth(by: shown)
            return end.milliseconds(since: start).dividingFullWidth((high, low)).quotient
        }
        func bar(_ kind: Kind, _ from: Instant, _ to: Instant) -> [String: Any]? {
            guard from < to else { return nil }
            let x = min(place(from), Self.width - Self.least)
            return [
                "kind": kind.rawValue, "x": x, "width": max(Self.least, place(to) - x),
                "words": "\(kind.words), \(TimeText.day(from)) to \(TimeText.day(to))",
            ]
        }
        let subscriptions = Dictionary(grouping: periods, by: \.originalTransactionId)
        rows = subscriptions.sorted { ($0.value[0].purchaseDate, $0.key) < ($1.value[0].purchaseDate, $1.key) }.map {
            subscription, periods in
            var bars: [[String: Any]?] = periods.flatMap { period -> [[String: Any]?] in
                let ends = period.expiresDate ?? period.purchaseDate
                let revoked = period.revocationDate.map { max(period.purchaseDate, min($0, ends)) }
                return [
                    bar(Kind(period), period.purchaseDate, revoked ?? ends),
                    revoked.flatMap { bar(.revoked, $0, ends) },
                ]
            }
            for group in groups where group.originalTransactionId == subscription {
                guard let expires = group.expiresAt else { continue }
                let grace = group.gracePeriodExpiresAt ?? expires
                bars.append(bar(.grace, expires, grace))
                if group.state == SubscriptionStateName.inBillingRetryPeriod.rawValue {
                    bars.append(bar(.retry, max(expires, grace), now))
                }
            }
            let shown = bars.compactMap(\.self)
            return [
                "product": periods.last?.productId.rawValue ?? "", "subscription": subscription.rawValue, "bars": shown,
                "words": shown.compactMap { $0["words"] as? String }.joined(separator: "; "),
            ]
        }
        func mark(_ kind: String, _ at: Instant, _ words: String) -> [String: Any]? {
            (start...end).contains(at) ? ["kind": kind, "x": place(at), "words": "\(words), \(TimeText.day(at))"] : nil
        }
        let used = [TimelineEntry.Kind.redeemed, .boughtAtFullPrice].map(\.rawValue)
        marks =
            details.issuedOffers.compactMap { mark("issued", $0.issuedAt, "issued \($0.offerId)") }
            + details.timeline.filter { used.contains($0.kind) }.compactMap { mark($0.kind, $0.at, $0.message) }
    }

    var members: [String: Any] {
        [
            "rows": rows, "marks": marks, "start": TimeText.day(start), "end": TimeText.day(end),
            "markWords": marks.compactMap { $0["words"] as? String }.joined(separator: "; "),
            "legend": Kind.allCases.map { ["kind": $0.rawValue, "words": $0.words] },
        ]
    }

    private enum Kind: String, CaseIterable {
        case introductory, offer, paid, grace, retry, revoked

        init(_ period: TransactionSummary) {
            self = period.offerType == nil ? .paid : period.offerType == 1 ? .introductory : .offer
        }

        var words: String {
            switch self {
            case .introductory: "trial or introductory price"
            case .offer: "with another offer"
            case .paid: "at full price"
            case .grace: "grace period"
            case .retry: "billing retry"
            case .revoked: "refunded or revoked"
            }
        }
    }
}
