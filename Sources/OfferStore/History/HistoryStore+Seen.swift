public import OfferEligibility
public import OfferModel

/// The identifiers of Apple's that a decision's history was read by.
public struct SeenIdentifiers: Sendable, Hashable {
    /// Subscriptions.
    public var originalTransactionIds: [TransactionId]
    /// Apple Accounts.
    public var appTransactionIds: [AppTransactionId]

    init(originalTransactionIds: [TransactionId], appTransactionIds: [AppTransactionId]) {
        self.originalTransactionIds = originalTransactionIds
        self.appTransactionIds = appTransactionIds
    }

    /// Every identifier in a history, in their order.
    public init(_ history: History) {
        originalTransactionIds = Set(history.transactions.map(\.payload.originalTransactionId)).sorted()
        appTransactionIds = Set(history.appTransactions.compactMap(\.payload.appTransactionId)).sorted()
    }
}

extension HistoryStore {
    /// Every row of these identifiers that was stored by a place in the store-wide order, for replay (invariant 5).
    ///
    /// By identifiers and not by customers: a merge since then must not bring another customer's rows into it. The
    /// coverage is not read; a decision's record has its own.
    ///
    /// - Throws: ``StoreError``.
    public func history(
        of identifiers: SeenIdentifiers, upTo sequence: Int64, in scope: ScopeNumber
    ) throws -> History {
        let subscriptions = identifiers.originalTransactionIds.map(\.storedValue)
        let transactions: [Recorded<Transaction>] = try read(subscriptions, sequence, scope)
        let renewalInfos: [Recorded<RenewalInfo>] = try read(subscriptions, sequence, scope)
        // Signed renewal info counts only of what a signed transaction names, as where the present history is read.
        let proven = Set(transactions.filter(\.provenance.isProven).map(\.payload.originalTransactionId))
        return History(
            transactions: transactions,
            renewalInfos: renewalInfos.filter {
                !$0.provenance.isProven || proven.contains($0.payload.originalTransactionId)
            },
            appTransactions: try read(identifiers.appTransactionIds.map(\.storedValue), sequence, scope))
    }

    private func read<Payload: HistoryRecord>(
        _ identifiers: [StoredValue], _ sequence: Int64, _ scope: ScopeNumber
    ) throws -> [Recorded<Payload>] {
        guard !identifiers.isEmpty else { return [] }
        return try Statement(
            Payload.sql.selectStored(identifiers: identifiers.count),
            values: [scope.storedValue, .integer(sequence)] + identifiers
        ).all(in: transaction) { try Recorded(reading: &$0) }
    }
}

extension Recorded where Payload: HistoryRecord {
    /// Reads the columns `sequence, provenance`, the date, `facts` and `payload`.
    convenience init(reading row: inout RowReader) throws {
        let facts = try FactsRow<Payload>(reading: &row)
        self.init(
            payload: facts.payload, payloadBytes: try row.next(), provenance: facts.provenance,
            sequence: facts.sequence)
    }
}
