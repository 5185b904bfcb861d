import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite struct UnprovenOwnerTests {
    private static let bought = Bench.now.adding(milliseconds: -40 * Instant.Duration.day)

    private static func transaction(_ provenance: Provenance) -> HistoryPayload {
        HistoryPayload(
            .transaction(.fixture("1", purchased: bought)), bytes: Array("t-\(provenance)".utf8), provenance: provenance
        )
    }

    private static func info(_ provenance: Provenance, signed days: Int64) -> HistoryPayload {
        let info = RenewalInfo.fixture("1", signed: bought.adding(milliseconds: days * Instant.Duration.day)) {
            $0.autoRenewStatus = provenance == .receipt ? .off : .on
        }
        return HistoryPayload(.renewalInfo(info), bytes: Array("i-\(provenance)".utf8), provenance: provenance)
    }

    @Test("signed renewal info of what no signed transaction names counts for nothing and hides nothing, in replay too")
    func hidesNothing() async throws {
        let bench = try await Bench()
        let scope = bench.scope
        func provenances(after payloads: [HistoryPayload]) async throws -> (
            now: Set<Provenance>, replayed: Set<Provenance>
        ) {
            try await bench.database.write { transaction in
                let history = HistoryStore(transaction)
                let results = try history.ingest(payloads, at: Bench.now, in: scope)
                let customers = Set(results.compactMap(\.customer)).sorted()
                let read = try history.history(of: customers)
                let replayed = try history.history(of: SeenIdentifiers(read), upTo: .max, in: scope)
                // What is read of the present are the current rows alone; a replay reads all and picks as the rules do.
                #expect(read.subscriptionStates(at: Bench.now) == replayed.subscriptionStates(at: Bench.now))
                return (
                    Set(read.renewalInfos.map(\.provenance)), Set(replayed.renewalInfos.map(\.provenance))
                )
            }
        }
        let unproven = try await provenances(
            after: [Self.info(.client, signed: 39), Self.transaction(.receipt), Self.info(.receipt, signed: 35)])
        #expect(unproven == ([.receipt], [.receipt]))
        let proven = try await provenances(after: [Self.transaction(.client)])
        #expect(proven == ([.client], [.client, .receipt]))
    }
}
