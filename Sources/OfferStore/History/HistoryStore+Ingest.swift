public import OfferModel

extension HistoryStore {
    /// The indexes of the payloads that would be stored: only those need a writing transaction.
    public func missing(_ payloads: [HistoryPayload], in scope: ScopeNumber) throws -> [Int] {
        let copies = SignedCopies(transaction: transaction, scope: scope)
        var missing = [Int]()
        for (index, payload) in payloads.enumerated() {
            let record = payload.content.record
            guard let views = try record.views(of: payload, transaction, scope),
                try views.contains(where: \.isSame) || copies.tellNothing(record, beside: views)
            else {
                missing.append(index)
                continue
            }
        }
        return missing
    }

    /// The outcome that storing a payload would have now; nothing is written.
    public func outcome(of payload: HistoryPayload, in scope: ScopeNumber) throws -> IngestOutcome {
        try payload.content.record.views(of: payload, transaction, scope)?.outcome ?? .refused
    }

    /// Keeps payloads and finds, adds and merges the customers they name, in one transaction.
    ///
    /// The same payloads in any order and any number leave the same customers, current views and recorded redemptions
    /// (invariant 7). Of what says the same at each signing the first and the newest copy stay, see ``SignedCopies``.
    ///
    /// - Parameter offers: of the catalog in force, for ``RedemptionStore/record(of:offers:at:in:knowing:)``.
    /// - Returns: the outcome of each, in the same order.
    public func ingest(
        _ payloads: [HistoryPayload], offers: [Offer] = [], at now: Instant, in scope: ScopeNumber
    ) throws -> [IngestedPayload] {
        let changed = ChangedHistory(HistoryFacts(transaction: transaction, scope: scope))
        let links = IdentityLinks(
            transaction: transaction, scope: scope, now: now, offers: offers, changedHistory: changed)
        let copies = SignedCopies(transaction: transaction, scope: scope)
        var results = [IngestedPayload]()
        var stored = [Int]()
        // All that is read comes before the first change, so that what was asked ahead holds.
        let known = try payloads.map { payload in
            let views = try payload.content.record.views(of: payload, transaction, scope)
            if let owner = payload.content.owner, views?.contains(where: \.isSame) == false { try changed.read(owner) }
            return views
        }
        var changedViews = Set<ViewKey>()
        for (index, payload) in payloads.enumerated() {
            let record = payload.content.record
            guard let key = ViewKey(record),
                let views = changedViews.contains(key)
                    ? try record.views(of: payload, transaction, scope) : known[index]
            else {
                results.append(IngestedPayload(outcome: .refused))
                continue
            }
            if try views.contains(where: \.isSame) || copies.tellNothing(record, beside: views) {
                results.append(IngestedPayload(outcome: .unchanged))
                continue
            }
            changedViews.insert(key)
            let sequence = try insert(record, payload, at: now, in: scope)
            if let owner = record.owner { changed.add(payload, sequence: sequence, of: owner) }
            try link(payload, links)
            let owner = try copies.removeNeedless(around: record, among: views)
            // Once this row is added, the facts hold none of the removed copies, unless they are evidence.
            if let owner, record.isEvidence { changed.noteRemoval(of: owner) }
            stored.append(index)
            results.append(IngestedPayload(outcome: views.outcome))
        }
        try changed.finish(at: now) { try links.isProven(.originalTransactionId($0)) }
        // A later payload may have merged the customer of an earlier one, so owners are looked up at the end.
        for (index, payload) in payloads.enumerated() {
            guard let owner = payload.identifiers.first else { continue }
            results[index].customer = try links.owner(of: owner)
        }
        let customersChanged = Set(stored.compactMap { results[$0].customer })
        transaction.concerns { customersChanged.map(Concern.customer) }
        let subscriptions = changed.subscriptions
        for customer in customersChanged.sorted() {
            try RedemptionStore(transaction).record(
                of: customer, offers: offers, at: now, in: scope, knowing: subscriptions)
        }
        if !customersChanged.isEmpty {
            try CustomerStore(transaction)
                .noteChange(try StoreClock(transaction).newestSequence(), of: customersChanged)
        }
        try changed.write()
        return results
    }

    /// What a write asks first that keeps payloads (``ingest(_:offers:at:in:)``), to ask ahead.
    ///
    /// - Parameter owners: whose the payloads are; empty if they are of unknown customers.
    public static func questions(
        before payloads: [HistoryPayload], of owners: [CustomerNumber], in name: Scope, _ scope: ScopeNumber
    ) -> [WriteExpectation.Operation] {
        var operations: [WriteExpectation.Operation] = [
            { _ = try StoreClock($0).lastInstant() },
            { _ = try ScopeStore($0).number(of: name) },
            { _ = try CatalogStore($0).currentNumber(in: scope) },
        ]
        operations += payloads.map { payload in
            { _ = try payload.content.record.views(of: payload, $0, scope) }
        }
        for identifier in Set(payloads.flatMap(\.identifiers)) {
            operations += [
                { _ = try CustomerStore($0).owner(of: identifier, in: scope) },
                { _ = try HistoryFacts(transaction: $0, scope: scope).stored(identifier) },
            ]
            if case .originalTransactionId(let subscription) = identifier {
                operations += [
                    { _ = try DueEventStore($0).dates(of: subscription, in: scope) },
                    { _ = try EventStore($0).causes(of: subscription, in: scope) },
                ]
            }
            guard owners.isEmpty else { continue }
            operations += [
                { _ = try ErasedIdentifierStore(transaction: $0, scope: scope).customer(identifier) },
                { _ = try HistoryFacts(transaction: $0, scope: scope).derive(identifier) },
            ]
            if case .originalTransactionId(let subscription) = identifier {
                operations.append { _ = try IdentityLinks.renewalInfo(waitingFor: subscription, in: scope, $0) }
            }
        }
        return operations
            + owners.flatMap { owner -> [WriteExpectation.Operation] in
                [
                    { _ = try RedemptionStore($0).redemptions(of: owner) },
                    { _ = try IssuedOfferStore($0).issuedOffers(of: [owner]) },
                    { _ = try HistoryStore($0).history(of: [owner]) },
                ]
            }
    }

    /// All that keeping payloads concerns, if they are these customers'.
    public static func concerns(of payloads: [HistoryPayload], of owners: [CustomerNumber]) -> [Concern] {
        owners.map(Concern.customer) + payloads.flatMap(\.identifiers).map(Concern.identifier)
            + payloads.compactMap(\.appAccountToken).map { .alias(.appAccountToken($0)) }
    }

    /// The customers whose the payloads are by now.
    public func owners(of payloads: [HistoryPayload], in scope: ScopeNumber) throws -> [CustomerNumber] {
        let customers = CustomerStore(transaction)
        return Set(try payloads.flatMap(\.identifiers).compactMap { try customers.customer($0, in: scope) }).sorted()
    }

    private func insert<Record: HistoryRecord>(
        _ record: Record, _ payload: HistoryPayload, at now: Instant, in scope: ScopeNumber
    ) throws -> Int64 {
        let sequence = try StoreClock(transaction).nextSequence()
        try transaction.insert(
            HistoryRow(
                sequence: sequence, scope: scope, provenance: payload.provenance,
                isProven: payload.provenance.isProven, receivedAt: now, payload: record, facts: try record.facts(),
                bytes: payload.bytes), into: Record.sql.table)
        return sequence
    }

    private func link(_ payload: HistoryPayload, _ links: IdentityLinks) throws {
        let isProven = payload.provenance.isProven
        if case .renewalInfo(let info) = payload.content {
            // Renewal info names no app: it links nothing before its subscription is known to be of this one.
            guard isProven, try links.isProven(.originalTransactionId(info.originalTransactionId)) else { return }
        }
        let source = IdentifierSource(payload)
        let customer = try links.customer(linking: payload.identifiers, isProven: isProven, from: source)
        if let token = payload.appAccountToken {
            let customers = CustomerStore(transaction)
            transaction.concerns { [.customer(customer), .alias(.appAccountToken(token))] }
            if isProven {
                try customers.attach(
                    .appAccountToken(token), to: customer, from: source, at: links.now, in: links.scope)
            } else {
                try customers.state(
                    [.appAccountToken(token)], of: [customer], from: source, at: links.now, in: links.scope)
            }
        }
    }
}

extension HistoryPayload.Content {
    var record: any HistoryRecord {
        switch self {
        case .transaction(let transaction): transaction
        case .renewalInfo(let info): info
        case .appTransaction(let transaction): transaction
        }
    }

    /// Whose it is; `nil` for an app transaction without `appTransactionId`.
    public var owner: ProvenIdentifier? {
        switch self {
        case .transaction(let transaction): transaction.owner
        case .renewalInfo(let info): info.owner
        case .appTransaction(let transaction): transaction.owner
        }
    }

    public var appTransactionId: AppTransactionId? { record.appTransactionId }

    public var transaction: Transaction? {
        if case .transaction(let transaction) = self { transaction } else { nil }
    }
}

/// Which current view a payload may change.
private struct ViewKey: Hashable {
    let table: String
    let key: String

    init?(_ record: some HistoryRecord) {
        guard let key = record.viewKey else { return nil }
        (table, self.key) = (type(of: record).sql.table.name, key)
    }
}

struct KnownView {
    let sequence: Int64
    let date: Instant
    let hasSameRank: Bool
    /// The same bytes with the same rank.
    let isSame: Bool
    /// It outranks the payload in the current view: proven first, then the later date, then the greater bytes.
    let isNewer: Bool
}

extension [KnownView] {
    var outcome: IngestOutcome {
        if isEmpty { return .added }
        return contains { $0.isSame || $0.isNewer } ? .unchanged : .updated
    }
}

extension HistoryRecord {
    /// The stored rows of the same view key; `nil` if it names no owner.
    func views(
        of payload: HistoryPayload, _ transaction: any StoreTransaction, _ scope: ScopeNumber
    ) throws -> [KnownView]? {
        guard let viewKey else { return nil }
        let isProven = payload.provenance.isProven
        let known: [(Int64, Bool, Instant, Bool, Bool)] = try transaction.all(
            Self.sql.views, scope, viewKey, payload.bytes)
        return known.map { sequence, knownIsProven, date, hasSameBytes, hasGreaterBytes in
            let isNewer =
                knownIsProven != isProven
                ? knownIsProven : date != viewDate ? date > viewDate : hasGreaterBytes
            return KnownView(
                sequence: sequence, date: date, hasSameRank: knownIsProven == isProven,
                isSame: hasSameBytes && knownIsProven == isProven, isNewer: isNewer)
        }
    }
}

/// Copies of what Apple signs again and again, at every app launch: of copies that say the same but for the date, the
/// first and the newest are kept (docs/decisions/0046).
///
/// ```
/// signed     1     2     3     4     5     6
/// it says    on    on    on    off   on    on      autoRenewStatus
/// kept       ×           ×     ×     ×     ×
/// ```
///
/// A copy is needless if the ones signed before and after it say the same. So a question about an earlier
/// instant finds the same facts without it, and the newest, which decides now, always stays.
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
    ///
    /// - Returns: whose rows they were, if there were any.
    func removeNeedless<Record: HistoryRecord>(
        around record: Record, among views: [KnownView]
    ) throws -> ProvenIdentifier? {
        let order = SigningOrder(of: views, around: record.viewDate)
        guard record.mayBeNeedless, let owner = record.owner else { return nil }
        let earlier = order.before.first.map { SigningOrder(of: views, around: $0.date).before } ?? []
        let later = order.after.first.map { SigningOrder(of: views, around: $0.date).after } ?? []
        var needless: [KnownView] = []
        for (copies, next, since) in [
            (order.before, earlier, earlier.first?.date), (order.after, later, record.viewDate),
        ] {
            guard let copy = copies.first, let since, !next.isEmpty,
                try saySame(next + copies + order.beside, as: record),
                try !isTurningPoint(record, after: since, at: copy.date)
            else { continue }
            needless += copies
        }
        guard !needless.isEmpty else { return nil }
        try transaction.execute(Record.sql.delete(needless.map(\.sequence), of: owner, in: scope))
        return owner
    }

    /// Whether all of these rows say what a payload says, but for the date.
    private func saySame<Record: HistoryRecord>(_ views: [KnownView], as record: Record) throws -> Bool {
        try transaction.rows(try Record.sql.selectSame(as: record, among: views.map(\.sequence))).count == views.count
    }

    /// Whether a period began or ended between two signings of renewal info. What is signed after the end of a period
    /// says more than the same signed before, because it settles the state (docs/eligibility.md).
    private func isTurningPoint(_ record: some HistoryRecord, after earlier: Instant, at date: Instant) throws -> Bool {
        guard let info = record as? RenewalInfo else { return false }
        return try transaction.row(
            """
            SELECT 1 FROM history_transaction
            WHERE scope_id = ?1 AND original_transaction_id = ?2
            AND (expires_date BETWEEN ?3 AND ?4 OR purchase_date BETWEEN ?3 AND ?4) LIMIT 1
            """, scope, info.originalTransactionId, earlier, date) != nil
    }
}

/// Rows of one view key and rank around a date, by which those say the most that are next to it.
private struct SigningOrder {
    var before: [KnownView] = []
    var beside: [KnownView] = []
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
