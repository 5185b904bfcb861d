import OfferModel

/// Compares the facts rows with the history they follow from, and writes those that do not match.
///
/// A page at a time: no snapshot is held for longer than a page takes, and the write lock only for a few wrong owners.
public struct HistoryFactsCheck: Sendable {
    public struct Counts: Sendable, Hashable {
        public var rows = 0
        public var changed = 0
        public var missing = 0
        public var superfluous = 0
        /// Owners whose history cannot be read, so that nothing can be derived from it: kind and identifier.
        public var unreadable: [String] = []

        public var wrong: Int { changed + missing + superfluous }
    }

    private static let pageSize = 500
    private static let writtenAtOnce = 50
    private let database: any StoreDatabase

    public init(_ database: any StoreDatabase) {
        self.database = database
    }

    /// - Throws: ``StoreError``.
    public func run(rebuilding: Bool = false) async throws -> Counts {
        var counts = Counts()
        let scopes: [ScopeNumber] = try await database.read {
            try $0.all("SELECT id FROM scope ORDER BY id")
        }
        for scope in scopes {
            for kind in ["originalTransactionId", "appTransactionId"] {
                // Texts are ordered by their bytes, and none has a zero.
                var next: String? = ""
                while let start = next {
                    let found = counts
                    let page = try await database.read {
                        try Self.page(of: kind, from: start, in: scope, adding: found, $0)
                    }
                    counts = page.counts
                    next = page.last.map { $0 + "\u{1}" }
                    if rebuilding { try await write(page.wrong, in: scope) }
                }
            }
        }
        return counts
    }

    private func write(_ owners: [ProvenIdentifier], in scope: ScopeNumber) async throws {
        for start in stride(from: 0, to: owners.count, by: Self.writtenAtOnce) {
            let some = owners[start...].prefix(Self.writtenAtOnce)
            try await database.write { transaction in
                let facts = HistoryFacts(transaction: transaction, scope: scope)
                for owner in some { try facts.update(owner) }
            }
        }
    }

    private struct Page: Sendable {
        var counts: Counts
        var wrong: [ProvenIdentifier] = []
        var last: String?
    }

    private static func sql(_ kind: String) -> String {
        let tables = [Transaction.sql, RenewalInfo.sql, AppTransaction.sql]
        let owners = tables.filter { $0.ownerKind == kind }.map(\.owners)
        let facts = """
            SELECT value FROM history_facts WHERE scope_id = ?1 AND kind = ?4 AND value >= ?2 ORDER BY value LIMIT ?3
            """
        let all = (owners + [facts]).map { "SELECT value FROM (\($0)) AS page" }.joined(separator: " UNION ")
        return "SELECT value FROM (\(all)) AS pages ORDER BY value LIMIT ?3"
    }

    private static func page(
        of kind: String, from start: String, in scope: ScopeNumber, adding counts: Counts,
        _ transaction: any StoreTransaction
    ) throws -> Page {
        let facts = HistoryFacts(transaction: transaction, scope: scope)
        let values: [String] = try transaction.all(sql(kind), scope, start, pageSize, kind)
        var page = Page(counts: counts, last: values.count < pageSize ? nil : values.last)
        for owner in values.compactMap({ ProvenIdentifier(kind: kind, value: $0) }) {
            let derived: [UInt8]?
            do {
                derived = try facts.derive(owner).bytes()
            } catch StoreError.corrupt {
                page.counts.unreadable.append("\(owner.kind) `\(owner.value)`")
                continue
            }
            let stored = try facts.stored(owner)
            if derived != nil { page.counts.rows += 1 }
            guard derived != stored else { continue }
            page.wrong.append(owner)
            switch (derived, stored) {
            case (nil, _): page.counts.superfluous += 1
            case (_, nil): page.counts.missing += 1
            default: page.counts.changed += 1
            }
        }
        return page
    }
}
