import Foundation
import OfferAPI
import OfferApplication
import OfferStore
import OfferTestSupport
import Synchronization
import Testing

@Suite("Crash points")
struct CrashPointTests {
    /// The files at every point that was passed, in order.
    private final class Wrecks: Sendable {
        let all = Mutex<[(point: StoppingDatabase.Point, wreck: Wreck)]>([])
    }

    @Test(
        "a process lost at any statement of a transaction, before its commit or after it, leaves all of it or nothing (invariants 1 and 2)",
        .onSQLite("a server copies no database that is open; LostProcessTests kills a process at each point"),
        arguments: Undertaking.allCases)
    func lostProcess(_ undertaking: Undertaking) async throws {
        let bench = try await Workbench(onFile: true)
        try await undertaking.prepare(bench)
        var committed = try await bench.database.read(LedgerRules.contents)
        let wrecks = Wrecks()
        let database = StoppingDatabase(bench.database) { _, point in
            try wrecks.all.withLock { $0.append((point, try Wreck(of: bench.directory))) }
        }
        let released = try await undertaking.begin(bench.useCases(over: database), bench)
        let all = wrecks.all.withLock { $0 }
        #expect(all.count > 3)
        for (number, (point, wreck)) in all.enumerated() {
            let place: Comment = "point \(number + 1), \(point)"
            let left = try await wreck.reopened { database in
                let left = try await database.read(LedgerRules.contents)
                #expect(try await database.read(LedgerRules.broken).isEmpty, place)
                // Whatever leaves the process leaves it after its last commit.
                if number == all.count - 1 {
                    #expect(Set(released).isSubset(of: try await database.read(Ledger.read).artefacts), place)
                    try await askAgain(database, undertaking, bench, place)
                }
                return left
            }
            let isChanged = left != committed
            if case .committed = point {
                #expect(isChanged, place)
                committed = left
            } else {
                #expect(!isChanged, place)
            }
        }
        try bench.database.close()
    }

    @Test(
        "a statement or a commit that fails keeps nothing of its transaction, and asking again goes right (invariants 1 and 2)",
        arguments: Undertaking.allCases)
    func failedStatement(_ undertaking: Undertaking) async throws {
        let bench = try await Workbench(onFile: true)
        try await undertaking.prepare(bench)
        let before = try await bench.database.read(LedgerRules.contents)
        try bench.database.close()
        let start = try Wreck(of: bench.directory)
        var number = 1
        while try await failing(at: number, start, before, undertaking, bench) { number += 1 }
        #expect(number > 4)
    }

    /// Lets one point fail.
    ///
    /// - Returns: whether there is such a point.
    private func failing(
        at number: Int, _ start: Wreck, _ before: [String: Set<StoredRow>], _ undertaking: Undertaking,
        _ bench: Workbench
    ) async throws -> Bool {
        try await Wreck(of: start.directory).reopened { database in
            let commits = Counter()
            let stopping = StoppingDatabase(database) { reached, point in
                if case .committed = point { commits.next() }
                if reached == number { throw InterposedDatabase.Broken() }
            }
            do {
                _ = try await undertaking.begin(bench.useCases(over: stopping), bench)
                return false
            } catch is InterposedDatabase.Broken {}
            let place: Comment = "point \(number)"
            if commits.next() == 1 {
                let isUnchanged = try await database.read(LedgerRules.contents) == before
                #expect(isUnchanged, place)
            }
            try await askAgain(database, undertaking, bench, place)
            return true
        }
    }

    /// Holds what is left to the rules, asks again as a client would, and holds that to the rules too.
    private func askAgain(
        _ database: any DatabaseDriver, _ undertaking: Undertaking, _ bench: Workbench, _ place: Comment
    ) async throws {
        #expect(try await database.read(LedgerRules.broken).isEmpty, place)
        let again: [String]
        do {
            again = try await undertaking.begin(bench.useCases(over: database), bench)
        } catch RequestError.catalogChanged(current: 2) where undertaking == .applyCatalog {
            again = []
        }
        #expect(again.isEmpty != (undertaking.isIssue || undertaking == .blockIntroductory), place)
        let ledger = try await database.read(Ledger.read)
        #expect(Set(again).isSubset(of: ledger.artefacts), place)
        #expect(try await database.read(LedgerRules.broken).isEmpty, place)
        let places = try await database.read { transaction in
            try transaction.rows(
                Statement(
                    """
                    SELECT count(*) FROM issued_offer WHERE offer_id = 'comeback' AND counts_until > ?1
                    GROUP BY customer_id
                    """, bench.clock.now)
            ).map { try $0.value(0, as: Int.self) }
        }
        // Two customers proven to be one bring a place each.
        #expect(places.allSatisfy { $0 <= (undertaking == .merge ? 2 : 1) }, place)
    }
}
