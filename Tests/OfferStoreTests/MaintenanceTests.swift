import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Backups and proofs of the ledger")
struct MaintenanceTests {
    @Test("each is noted by itself, and the newest note holds, also one before the last", arguments: Driver.allCases)
    func marks(driver: Driver) async throws {
        let bench = try await Bench(driver)
        func marks() async throws -> MaintenanceStore.Marks {
            try await bench.database.read { try MaintenanceStore($0).marks() }
        }
        #expect(try await marks() == MaintenanceStore.Marks())
        let (early, late) = (Bench.now, Bench.now.adding(milliseconds: 5))
        try await bench.database.write { try MaintenanceStore($0).note(.backup, at: late) }
        #expect(try await marks() == MaintenanceStore.Marks(backedUpAt: late))
        try await bench.database.write { transaction in
            // In one transaction with what changes the same row.
            try StoreClock(transaction).advance(to: late)
            try MaintenanceStore(transaction).note(.proof, at: late)
            try MaintenanceStore(transaction).note(.backup, at: early)
        }
        #expect(try await marks() == MaintenanceStore.Marks(backedUpAt: early, provenAt: late))
        #expect(try await bench.database.read { try StoreClock($0).lastInstant() } == late)
    }
}
