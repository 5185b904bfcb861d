import Foundation
import OfferAPI
import OfferApplication
import OfferStore
import OfferTestSupport
import Testing

@Suite("A process that kills itself")
struct LostProcessTests {
    /// All of them would start hundreds of processes; `OFFERD_CRASH_POINTS=all` does, but for those that go by the
    /// clock, an id or a revision of the process before.
    private static let undertakings: [Undertaking] =
        ProcessInfo.processInfo.environment["OFFERD_CRASH_POINTS"] == "all"
        ? Undertaking.allCases.filter { ![.issueTheNext, .void, .applyCatalog].contains($0) } : [.issueUnderKey]

    @Test(
        "killed at any statement of the issuing transaction, before its commit or after it, it has released nothing that is not there, and what is there is whole (invariants 1 and 2)",
        arguments: undertakings)
    func killed(_ undertaking: Undertaking) async throws {
        let bench = try await Workbench(onFile: true)
        try await undertaking.prepare(bench)
        let before = try await bench.database.read(LedgerRules.contents)
        try bench.database.close()
        var number = 1
        while try await killing(at: number, undertaking, bench, before) { number += 1 }
        #expect(number > 4)
    }

    /// Starts a process that is lost at a point, and looks at what it leaves.
    ///
    /// - Returns: whether there is such a point.
    private func killing(
        at number: Int, _ undertaking: Undertaking, _ bench: Workbench, _ before: [String: Set<StoredRow>]
    ) async throws -> Bool {
        let wreck = try Wreck(of: bench.directory)
        let (name, path) = (undertaking.rawValue, wreck.directory.url.path)
        let result = await #expect(
            processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
        ) { [name = name as String, path = path as String, number = number as Int] in
            try await LostProcessTests.lose(name, in: path, at: number)
        }
        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        let lines = output.split(separator: "\n").map(String.init)
        let released = lines.filter { $0.hasPrefix("released ") }.map { String($0.dropFirst(9)) }
        let isThrough = lines.contains("through")
        let place: Comment = "\(name), point \(number): \(lines.filter { $0.hasPrefix("at ") })"
        try await wreck.reopened { database in
            let isUnchanged = try await database.read(LedgerRules.contents) == before
            #expect(isUnchanged || lines.contains("committed"), place)
            #expect(try await database.read(LedgerRules.broken).isEmpty, place)
            let artefacts = try await database.read(Ledger.read).artefacts
            #expect(Set(released).isSubset(of: artefacts), place)
            #expect(isThrough || released.isEmpty, place)
            let again = try await undertaking.begin(bench.useCases(over: database), bench)
            let releasesArtefacts = undertaking.isIssue || undertaking == .blockIntroductory
            #expect(again.isEmpty != releasesArtefacts, place)
            #expect(try await database.read(LedgerRules.broken).isEmpty, place)
        }
        return !isThrough
    }

    /// What the other process does; it never returns.
    private static func lose(_ name: String, in path: String, at number: Int) async throws {
        let undertaking = try #require(Undertaking(rawValue: name))
        let bench = try await Workbench(in: TemporaryDirectory(adopting: URL(filePath: path)), catalog: nil)
        let database = StoppingDatabase(bench.database) { reached, point in
            if case .committed = point { say("committed") }
            guard reached == number else { return }
            say("at \(point)")
            kill(getpid(), SIGKILL)
        }
        for artefact in try await undertaking.begin(bench.useCases(over: database), bench) {
            say("released \(artefact)")
        }
        say("through")
        kill(getpid(), SIGKILL)
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
