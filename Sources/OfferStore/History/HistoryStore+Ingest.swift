public import OfferModel

extension HistoryStore {
    /// Which of these payloads would be stored, by their places: only those need a writing transaction.
    ///
    /// - Throws: ``StoreError``.
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

    /// What keeping a payload would come to now; nothing is written.
    ///
    /// - Throws: ``StoreError``.
    public func outcome(of payload: HistoryPayload, in scope: ScopeNumber) throws -> IngestOutcome {
        try payload.content.record.views(of: payload, transaction, scope)?.outcome ?? .refused
    }

    /// Keeps payloads and finds, adds and merges the customers they name, in one transaction.
    ///
    /// The same payloads in any order and any number leave the same customers, current views and recorded redemptions
    /// (invariant 7). Of what says the same at each signing the first and the newest copy stay, see ``SignedCopies``.
    ///
    /// - Parameter offers: of the catalog in force, for ``RedemptionStore/record(of:offers:at:in:)``.
    /// - Returns: what became of each, in the same order.
    /// - Throws: ``StoreError``.
    public func ingest(
        _ payloads: [HistoryPayload], offers: [Offer] = [], at now: Instant, in scope: ScopeNumber
    ) throws -> [IngestedPayload] {
        let changed = ChangedHistory(HistoryFacts(transaction: transaction, scope: scope))
        let links = IdentityLinks(
            transaction: transaction, scope: scope, now: now, offers: offers, changedHistory: changed)
        let copies = SignedCopies(transaction: transaction, scope: scope)
        var results = [IngestedPayload]()
        var stored = [Int]()
        for (index, payload) in payloads.enumerated() {
            let record = payload.content.record
            guard let views = try record.views(of: payload, transaction, scope) else {
                results.append(IngestedPayload(outcome: .refused))
                continue
            }
            if try views.contains(where: \.isSame) || copies.tellNothing(record, beside: views) {
                results.append(IngestedPayload(outcome: .unchanged))
                continue
            }
            try insert(record, payload, at: now, in: scope)
            if let owner = record.owner { changed.note(owner) }
            try link(payload, links)
            try copies.removeNeedless(around: record, among: views)
            // A merge has derived it already, with the copies.
            if let owner = record.owner { changed.note(owner) }
            stored.append(index)
            results.append(IngestedPayload(outcome: views.outcome))
        }
        try changed.update()
        // A later payload may have merged the customer of an earlier one, so owners are looked up at the end.
        let customers = CustomerStore(transaction)
        for (index, payload) in payloads.enumerated() {
            guard let owner = payload.identifiers.first else { continue }
            results[index].customer = try customers.customer(owner, in: scope)
        }
        let customersChanged = Set(stored.compactMap { results[$0].customer })
        for customer in customersChanged.sorted() {
            try RedemptionStore(transaction).record(of: customer, offers: offers, at: now, in: scope)
        }
        if !customersChanged.isEmpty {
            try customers.noteChange(try StoreClock(transaction).newestSequence(), of: customersChanged)
        }
        return results
    }

    private func insert(
        _ record: any HistoryRecord, _ payload: HistoryPayload, at now: Instant, in scope: ScopeNumber
    ) throws {
        let sequence = try StoreClock(transaction).nextSequence()
        let values: [StoredValue] = [
            .integer(sequence), scope.storedValue, payload.provenance.storedValue,
            payload.provenance.isProven.storedValue, now.storedValue,
        ]
        try transaction.execute(
            Statement(
                type(of: record).sql.insert,
                values: values + record.columnValues + [.blob(try record.facts()), .blob(payload.bytes)]))
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
            if isProven {
                try customers.attach(
                    [.appAccountToken(token)], to: [customer], from: source, at: links.now, in: links.scope)
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
}

/// How a stored row compares with a payload of the same view key.
struct KnownView {
    /// Its place in the store-wide order.
    let sequence: Int64
    /// When it was signed.
    let date: Instant
    /// Both proven, or neither.
    let hasSameRank: Bool
    /// The same bytes with the same rank.
    let isSame: Bool
    /// It outranks the payload in the current view: proven first, then the later date, then the greater bytes.
    let isNewer: Bool
}

extension [KnownView] {
    /// What becomes of a payload beside them.
    var outcome: IngestOutcome {
        if isEmpty { return .added }
        return contains { $0.isSame || $0.isNewer } ? .unchanged : .updated
    }
}

extension HistoryRecord {
    /// The stored rows of the same view key; `nil` if it names nobody.
    func views(
        of payload: HistoryPayload, _ transaction: any StoreTransaction, _ scope: ScopeNumber
    ) throws -> [KnownView]? {
        guard let viewKey else { return nil }
        let isProven = payload.provenance.isProven
        return try transaction.rows(Statement(Self.sql.views, scope, viewKey, payload.bytes)).map { row in
            let knownIsProven: Bool = try row.value(1)
            let date: Instant = try row.value(2)
            let hasSameBytes: Bool = try row.value(3)
            let hasGreaterBytes: Bool = try row.value(4)
            let isNewer =
                knownIsProven != isProven
                ? knownIsProven : date != viewDate ? date > viewDate : hasGreaterBytes
            return KnownView(
                sequence: try row.value(0), date: date, hasSameRank: knownIsProven == isProven,
                isSame: hasSameBytes && knownIsProven == isProven, isNewer: isNewer)
        }
    }
}
