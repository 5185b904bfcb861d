/// A table whose rows the audit covers, as it covers them.
///
/// A row's digest covers its key and its columns that never change, and a keyed digest of each that may be erased.
/// Events record later changes; `verify-ledger` derives the row's state from them and compares.
public struct LedgerTable: Sendable {
    struct CoveredColumn: Sendable {
        let name: String
        let canonicalName: CanonicalBytes
        /// Its member in the events' `before` and `after`; empty if it never changes.
        let member: String
        /// Whether the audit has a keyed digest of it instead, because it may be erased.
        let isErasable: Bool
        /// Where the column is in a row.
        let index: Int
    }

    let table: Table
    var name: String { table.name }
    /// The column, or the expression, that names a row.
    let key: String
    /// The columns that the key is made of.
    private let keyIndices: [Int]
    /// In the order of digests: those that never change, then those that may be erased.
    let covered: [CoveredColumn]
    /// Columns that change, each time with an event, in the order of the table.
    let state: [CoveredColumn]
    /// Whether rows are added in the order of their keys and may be many; the others are few, made by people.
    let isOrdered: Bool

    /// The key and the columns that events tell of, in the order that ``LedgerDigests/state(_:key:_:)`` reads them.
    let stateList: String
    /// What every row's digest begins with, and every keyed digest of a column's.
    let rowHead: CanonicalBytes
    let valueHead: CanonicalBytes
    /// ``state`` in the order of its members, by place.
    let stateOrder: [Int]

    /// - Parameter table: one with a key for the audit.
    init(_ table: Table, isOrdered: Bool = true) {
        let key = table.ledgerKey ?? ""
        self.table = table
        self.key = key
        self.isOrdered = isOrdered
        var (covered, state): ([CoveredColumn], [CoveredColumn]) = ([], [])
        for (index, column) in table.columns.enumerated() {
            func covering(_ member: String) -> CoveredColumn {
                CoveredColumn(
                    name: column.name, canonicalName: CanonicalBytes(column.name), member: member,
                    isErasable: column.rules.isErasable, index: index)
            }
            switch column.rules.coverage {
            case .fixed: covered.append(covering(""))
            case .state(let member): state.append(covering(member))
            case nil: break
            }
        }
        self.covered = covered.filter { !$0.isErasable } + covered.filter(\.isErasable)
        self.state = state
        let parts = key.split(separator: " || '/' || ")
        keyIndices = parts.compactMap { part in table.columns.firstIndex { $0.name == part } }
        stateList = ([key] + state.map(\.name)).joined(separator: ", ")
        rowHead = CanonicalBytes("offerd-row-1", table.name)
        valueHead = CanonicalBytes("offerd-value-1", table.name)
        stateOrder = state.indices.sorted { state[$0].member < state[$1].member }
    }

    /// What names a row: its key column, or several with `/` between them.
    func key(of values: [StoredValue]) -> StoredValue {
        guard keyIndices.count != 1 else { return values[keyIndices[0]] }
        return .text(keyIndices.map { values[$0].shown }.joined(separator: "/"))
    }

    /// Every table the audit covers, besides `audit_event` itself.
    static let all: [LedgerTable] = [
        .issuedOffer, .offerGrant, .signing, .refusal, .customerMerge, .erasure, .auditCheckpoint, .pause,
        .catalogRevision, .apiKey,
    ]

    static func named(_ name: String) -> LedgerTable? {
        all.first { $0.name == name }
    }

    static let issuedOffer = LedgerTable(.issuedOffer)
    static let offerGrant = LedgerTable(.offerGrant, isOrdered: false)
    static let signing = LedgerTable(.signing)
    static let refusal = LedgerTable(.refusal)
    static let customerMerge = LedgerTable(.customerMerge)
    static let erasure = LedgerTable(.erasure)
    static let auditCheckpoint = LedgerTable(.auditCheckpoint)
    static let pause = LedgerTable(.pause, isOrdered: false)
    static let catalogRevision = LedgerTable(.catalogRevision, isOrdered: false)
    static let apiKey = LedgerTable(.apiKey, isOrdered: false)
}

/// A row of a table that the audit covers.
protocol LedgerRecord: TableRow {
    static var ledger: LedgerTable { get }
}
