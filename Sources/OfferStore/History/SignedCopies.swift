import OfferModel

/// What Apple signs again and again, as every app launch makes it do: of copies that say the same but for the date, the
/// first and the newest are kept (docs/decisions/0046).
///
/// ```
/// signed     1     2     3     4     5     6
/// it says    on    on    on    off   on    on      autoRenewStatus
/// kept       ×           ×     ×     ×     ×
/// ```
///
/// A copy is needless if the ones signed before and after it say the same. So whoever asks what was the case at an earlier
/// instant finds the same facts without it, and the newest, by which everything is decided now, always stays.
struct SignedCopies {
    let transaction: any StoreTransaction
    let scope: ScopeNumber

    /// Whether keeping a payload would add nothing to the rows of its view key: it would be needless at once.
    func tellNothing<Record: HistoryRecord>(_ record: Record, beside views: [KnownView]) throws -> Bool {
        let order = SigningOrder(of: views, around: record.viewDate)
        guard let before = order.before.first, !order.after.isEmpty, record.mayBeNeedless else { return false }
        let near = order.before + order.beside + order.after
        return try saySame(near, as: record) && !isTurningPoint(record, after: before.date, at: record.viewDate)
    }

    /// Deletes what a new row beside these has made needless: the copies signed right before it, or right after it.
    func removeNeedless<Record: HistoryRecord>(around record: Record, among views: [KnownView]) throws {
        let order = SigningOrder(of: views, around: record.viewDate)
        guard record.mayBeNeedless, let owner = record.owner else { return }
        var needless: [KnownView] = []
        if let before = order.before.first {
            let earlier = SigningOrder(of: views, around: before.date).before
            let near = earlier + order.before + order.beside
            if let first = earlier.first, try saySame(near, as: record),
                try !isTurningPoint(record, after: first.date, at: before.date)
            {
                needless += order.before
            }
        }
        if let after = order.after.first {
            let later = SigningOrder(of: views, around: after.date).after
            let near = order.beside + order.after + later
            if !later.isEmpty, try saySame(near, as: record),
                try !isTurningPoint(record, after: record.viewDate, at: after.date)
            {
                needless += order.after
            }
        }
        guard !needless.isEmpty else { return }
        try transaction.execute(Record.sql.delete(needless.map(\.sequence), of: owner, in: scope))
    }

    /// Whether all of these rows say what a payload says, but for the date.
    private func saySame<Record: HistoryRecord>(_ views: [KnownView], as record: Record) throws -> Bool {
        try transaction.rows(try Record.sql.selectSame(as: record, among: views.map(\.sequence))).count == views.count
    }

    /// Whether a period began or ended between two signings of renewal info. What is signed after the end of a period says
    /// more than the same signed before, because it settles the state (docs/eligibility.md).
    private func isTurningPoint(_ record: some HistoryRecord, after earlier: Instant, at date: Instant) throws -> Bool {
        guard let info = record as? RenewalInfo else { return false }
        return try transaction.row(
            Statement(
                """
                SELECT 1 FROM history_transaction
                WHERE scope_id = ?1 AND original_transaction_id = ?2
                AND (expires_date BETWEEN ?3 AND ?4 OR purchase_date BETWEEN ?3 AND ?4) LIMIT 1
                """, scope, info.originalTransactionId, earlier, date)) != nil
    }
}

/// Rows of one view key and rank around a date, by which those say the most that are next to it.
private struct SigningOrder {
    /// Those with the latest date before it.
    var before: [KnownView] = []
    /// Those of the same date.
    var beside: [KnownView] = []
    /// Those with the earliest date after it.
    var after: [KnownView] = []

    init(of views: [KnownView], around date: Instant) {
        for view in views where view.hasSameRank {
            if view.date == date {
                beside.append(view)
            } else if view.date < date {
                Self.add(view, to: &before) { $0 > $1 }
            } else {
                Self.add(view, to: &after) { $0 < $1 }
            }
        }
    }

    private static func add(_ view: KnownView, to nearest: inout [KnownView], isNearer: (Instant, Instant) -> Bool) {
        guard let date = nearest.first?.date, date != view.date else { return nearest.append(view) }
        if isNearer(view.date, date) { nearest = [view] }
    }
}

extension HistoryRecord {
    /// Whether other copies may stand for it. Renewal info that names an offer without a renewal date does not tell of
    /// which period it is, and each copy may be evidence of another use (decision 0046).
    fileprivate var mayBeNeedless: Bool {
        guard let info = self as? RenewalInfo else { return true }
        return info.offerType == nil || info.renewalDate != nil
    }
}
