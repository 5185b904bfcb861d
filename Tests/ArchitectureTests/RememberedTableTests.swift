import Testing

@Suite("Tables that a transaction remembers")
struct RememberedTableTests {
    /// The files of OfferStore whose SQL may name a table, or a column, that `TransactionCache` stands for: those that
    /// ask the memory first, and those that only ever read snapshots.
    private static let allowed: [String: Set<String>] = [
        "store_state": [
            "StoreClock.swift", "StoreCensus.swift", "ScopeStore.swift", "APIKeyStore.swift",
            // Only columns that no transaction remembers.
            "MaintenanceStore.swift",
        ],
        "offer_counter": ["CounterStore.swift", "IssuedOfferStore+Changing.swift"],
        "redemption_counter": ["CounterStore.swift"],
    ]

    private static func uses(of table: String, in files: [SourceFile]) -> Set<String> {
        Set(
            files.filter { file in
                ["FROM", "JOIN", "UPDATE", "INTO"].contains { file.text.contains("\($0) \(table)") }
            }.compactMap { $0.path.split(separator: "/").last.map(String.init) })
    }

    @Test("no statement passes by what is remembered")
    func statements() throws {
        let files = try Repository().sources().filter { $0.target == "OfferStore" }
        for (table, places) in Self.allowed {
            let found = Self.uses(of: table, in: files)
            #expect(found.isSubset(of: places), "\(table): \(found.subtracting(places))")
            #expect(!found.isEmpty, "\(table) is named nowhere")
        }
        let generations = files.filter { $0.text.contains("SET generation") || $0.text.contains("SELECT generation") }
        #expect(generations.map(\.path) == ["Sources/OfferStore/Database/ScopeStore.swift"])
        let heads = files.filter { $0.text.contains("FROM audit_event WHERE sequence > 0 ORDER BY sequence DESC") }
        #expect(heads.map(\.path) == ["Sources/OfferStore/Audit/AuditLog.swift"])
    }

    @Test("a statement in another file is found")
    func finds() {
        let file = SourceFile(
            path: "Sources/OfferStore/A.swift", text: #"Statement("UPDATE store_state SET sequence = 1")"#)
        #expect(Self.uses(of: "store_state", in: [file]) == ["A.swift"])
        #expect(Self.uses(of: "offer_counter", in: [file]) == [])
    }
}
