import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("The order of an import")
struct ImportOrderTests {
    private static func terms(_ byte: UInt8, completeAsOf: Instant? = nil) -> ImportTerms {
        ImportBench.terms {
            $0.digest = [UInt8](repeating: byte, count: 32)
            $0.completeAsOf = completeAsOf
        }
    }

    @Test("lines in any order, and the same lines again, lead to the same state (invariant 7)", arguments: 1...8)
    func anyOrder(seed: Int) async throws {
        var export = RandomExport(seed: UInt64(seed))
        let lines = export.lines(people: 12)
        let ordered = try ImportBench()
        try await ordered.run(lines, Self.terms(1, completeAsOf: ImportBench.now))
        let expected = try await ordered.state()
        #expect(!expected[0].isEmpty && !expected[4].isEmpty && !expected[5].isEmpty && !expected[7].isEmpty)

        let shuffled = try ImportBench()
        let report = try await shuffled.run(export.shuffled(lines), Self.terms(1, completeAsOf: ImportBench.now))
        #expect(report.counts.staged == report.counts.applied)
        #expect(try await shuffled.state() == expected, "seed \(seed)")

        let again = try await shuffled.run(export.shuffled(lines), Self.terms(2, completeAsOf: ImportBench.now))
        #expect(again.counts.added == 0 && again.counts.updated == 0)
        #expect(try await shuffled.state() == expected, "seed \(seed)")
    }

    @Test(
        "an import whose process is lost at any point goes on when it is given again, to the same state (invariant 7)",
        arguments: 1...12)
    func interrupted(seed: Int) async throws {
        struct Lost: Error {}
        var export = RandomExport(seed: UInt64(100 + seed))
        let lines = export.lines(people: 10)
        let whole = try ImportBench()
        let terms = Self.terms(1, completeAsOf: ImportBench.now)
        let expectedReport = try await whole.run(lines, terms)
        let expected = try await whole.state()

        let bench = try ImportBench()
        var losses = 0
        var report: ImportReport?
        while report == nil {
            let stop = 1 + export.number(below: losses < 12 ? 160 : 100_000)
            let database = StoppingDatabase(bench.database) { point, _ in if point == stop { throw Lost() } }
            do {
                report = try await bench.importer(over: database).run(ListedSource(lines), terms)
            } catch is Lost {
                losses += 1
            }
        }
        #expect(losses > 0)
        #expect(try await bench.state() == expected, "seed \(seed), \(losses) losses")
        #expect(report?.counts == expectedReport.counts, "seed \(seed), \(losses) losses")
    }

    @Test("a rehearsal counts what the import then does, and writes nothing", arguments: 1...6)
    func rehearsal(seed: Int) async throws {
        var export = RandomExport(seed: UInt64(200 + seed))
        let lines = export.lines(people: 12)
        let bench = try ImportBench()
        try await bench.run(Array(lines.prefix(lines.count / 2)))
        let state = try await bench.state()
        let events = try await bench.count("audit_event")

        let shuffled = export.shuffled(lines)
        var rehearsed = try await bench.importer().rehearse(ListedSource(shuffled), provenance: .operator)
        #expect(try await bench.state() == state)
        #expect(try await bench.count("audit_event") == events)
        #expect(try await bench.count("import_run") == "1")

        let done = try await bench.importer().run(ListedSource(shuffled), Self.terms(9))
        rehearsed.counts.applied = done.counts.applied
        #expect(rehearsed.counts == done.counts, "seed \(seed)")
        #expect(done.counts.added > 0 && done.counts.unchanged > 0)
    }
}
