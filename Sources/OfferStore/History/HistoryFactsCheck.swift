import OfferModel

/// Compares the facts rows with the history they follow from, and writes those that do not.
///
/// Page by page, so that neither a snapshot nor the write lock is held for longer than a page takes.
public struct HistoryFactsCheck: Sendable {
    /// Rows that were looked at, and those that were wrong.
    public struct Counts: Sendable, Hashable {
        public var rows = 0
        /// Rows with other facts than the history's.
        public var changed = 0
        /// Owners with a history and no row.
        public var missing = 0
        /// Rows of owners without a history.
        public var superfluous = 0

        public var wrong: Int { changed + missing + superfluous }
    }

    private static let pageSize = 500
    private let database: any StoreDatabase

    public init(_ database: any StoreDatabase) {
        self.database = database
    }

    /// - Parameter rebuilding: whether what is wrong is written.
    public func run(rebuilding: Bool = false) async throws -> Counts {
        var counts = Counts()
        let scopes: [ScopeNumber] = try await database.read {
            try $0.rows("SELECT id FROM scope ORDER BY id").map { try $0.value(0) }
        }
        for scope in scopes {
            for kind in Kind.allCases {
                // Texts are ordered by their bytes, and none has a zero.
                var first: String? = ""
                while let start = first {
                    let page = { @Sendable (transaction: any StoreTransaction) in
                        try kind.page(from: start, in: scope, rebuilding: rebuilding, transaction)
                    }
                    let (found, last) =
                        try await rebuilding ? database.write(page) : database.read(page)
                    counts.rows += found.rows
                    counts.changed += found.changed
                    counts.missing += found.missing
                    counts.superfluous += found.superfluous
                    first = last.map { $0 + "\u{1}" }
                }
            }
        }
        return counts
    }

    private enum Kind: CaseIterable {
        case subscriptions, accounts

        private func owner(_ value: String) -> ProvenIdentifier {
            switch self {
            case .subscriptions: .originalTransactionId(TransactionId(value))
            case .accounts: .appTransactionId(AppTransactionId(value))
            }
        }

        private static let facts = """
            SELECT value FROM history_facts WHERE scope_id = ?1 AND kind = ?4 AND value >= ?2 ORDER BY value LIMIT ?3
            """

        private static func page(_ sources: [String]) -> String {
            let all = (sources + [facts]).map { "SELECT value FROM (\($0))" }.joined(separator: " UNION ")
            return "SELECT value FROM (\(all)) ORDER BY value LIMIT ?3"
        }

        private static let ofSubscriptions = page([Transaction.sql.owners, RenewalInfo.sql.owners])
        private static let ofAccounts = page([AppTransaction.sql.owners])

        /// - Returns: what was found, and the last owner if there may be more.
        func page(
            from start: String, in scope: ScopeNumber, rebuilding: Bool, _ transaction: any StoreTransaction
        ) throws -> (Counts, last: String?) {
            let facts = HistoryFacts(transaction: transaction, scope: scope)
            let sql = self == .subscriptions ? Self.ofSubscriptions : Self.ofAccounts
            let values: [String] = try transaction.rows(sql, scope, start, pageSize, owner("").kind)
                .map { try $0.value(0) }
            var counts = Counts()
            for owner in values.map(owner) {
                let (derived, stored) = (try facts.derive(owner), try facts.stored(owner))
                if derived != nil { counts.rows += 1 }
                guard derived != stored else { continue }
                switch (derived, stored) {
                case (nil, _): counts.superfluous += 1
                case (_, nil): counts.missing += 1
                default: counts.changed += 1
                }
                if rebuilding { try facts.update(owner) }
            }
            return (counts, values.count < pageSize ? nil : values.last)
        }
    }
}
