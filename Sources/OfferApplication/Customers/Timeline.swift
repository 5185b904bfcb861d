import OfferAPI
public import OfferModel
import OfferStore

/// The timeline of a customer, put together from what is stored of them.
///
/// The same for any order in which signed data arrived (invariant 7); only refusals and merges have dates of ours.
struct Timeline: Sendable {
    /// Every row of their history, those that newer ones have replaced too.
    var history: History
    /// The renewal info of each subscription by date; proven ones alone, if there are any.
    var renewalInfos: [TransactionId: [RenewalInfo]]
    var now: Instant
    var issued: [StoredIssuedOffer]
    var grants: [StoredGrant]
    var redemptions: [Redemption]
    var usesByOthers: [Redemption]
    var refusals: [RefusedDay]
    /// Customers that were proven to be the same.
    var merges: [RecordedMerge]
    var notifications: [StoredNotification]

    private static let mostNotifications = 1_000

    static func read(
        of customers: [CustomerNumber], from cursor: TimelineCursor?, limit: Int, at now: Instant,
        _ transaction: any StoreTransaction
    ) throws -> Timeline {
        let history = try HistoryStore(transaction).history(of: customers, asOf: .distantFuture)
        return Timeline(
            history: history, renewalInfos: renewalInfos(history), now: now,
            issued: try customers.flatMap(IssuedOfferStore(transaction).issuedOffers(to:)),
            grants: try GrantStore(transaction).grants(of: customers),
            redemptions: try customers.flatMap(RedemptionStore(transaction).redemptions).map(\.redemption),
            usesByOthers: try RedemptionStore(transaction).usesByOthers(of: customers).map(\.redemption),
            refusals: try RefusalStore(transaction).days(
                of: customers, until: cursor?.at ?? .distantFuture, limit: limit + (cursor?.shown ?? 0) + 1),
            merges: try CustomerStore(transaction).merges(into: customers),
            notifications: try NotificationStore(transaction).notifications(
                of: customers, limit: Self.mostNotifications))
    }

    /// A page of entries from a cursor on, newest first.
    ///
    /// - Parameter again: decides the record of a refusal again, which is asked for the entries of the page alone.
    func page(
        from cursor: TimelineCursor?, limit: Int, again: (DecisionRecord, OfferId) throws -> Decision?
    ) -> PageBody<TimelineEntry> {
        let all = entries.sorted { ($1.at, $1.kind, $1.message) < ($0.at, $0.kind, $0.message) }
        var rest = all[...]
        if let cursor {
            rest = rest.drop { $0.at > cursor.at }
            rest = rest.dropFirst(min(cursor.shown, rest.prefix { $0.at == cursor.at }.count))
        }
        let refused = Dictionary(refusals.map { ($0.entry, $0) }) { first, _ in first }
        let shown = rest.prefix(limit).map { refused[$0]?.explained(again) ?? $0 }
        guard rest.count > limit, let last = shown.last else { return PageBody(items: shown, next: nil) }
        let before = cursor.map { $0.at == last.at ? $0.shown : 0 } ?? 0
        let place = TimelineCursor(at: last.at, shown: before + shown.reversed().prefix { $0.at == last.at }.count)
        return PageBody(items: shown, next: place.text)
    }

    private var entries: [TimelineEntry] {
        purchaseEntries + renewalEntries + issuedEntries + grantEntries + redemptionEntries + refusals.map(\.entry)
            + merges.map(\.entry) + notifications.map(\.entry)
    }
}

extension Instant {
    /// For sentences: `2026-02-13 13:54 UTC`.
    var minute: String {
        let text = description
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}

extension Provenance {
    /// The source of what Apple did not sign; empty for the rest.
    var remark: String {
        switch self {
        case .notification, .client, .serverAPI: ""
        case .caller: ", on the backend's word"
        case .receipt: ", from a legacy receipt"
        case .operator: ", entered by an operator"
        }
    }

    var origin: String {
        switch self {
        case .notification: "from an App Store notification"
        case .client: "sent by the app"
        case .serverAPI: "from Apple's server"
        case .caller: "on the backend's word"
        case .receipt: "from a legacy receipt"
        case .operator: "entered by an operator"
        }
    }
}

/// A place in a timeline: an instant, and how many of its entries were shown.
public struct TimelineCursor: Sendable, Hashable {
    public var at: Instant
    public var shown: Int

    /// How many entries of one instant a cursor can pass over.
    fileprivate static let mostShown = 10_000

    public var text: String { "\(at.milliseconds).\(shown)" }
}

extension TimelineCursor {
    /// Reads what ``text`` wrote; `nil` for anything else.
    public init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let at = Int64(parts[0]), let shown = Int(parts[1]),
            (1...Self.mostShown).contains(shown)
        else { return nil }
        self.init(at: Instant(milliseconds: at), shown: shown)
    }
}
