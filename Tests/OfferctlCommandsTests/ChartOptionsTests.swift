import Charts
import Foundation
import OfferAPI
import OfferModel
import OfferTestSupport
import OfferWords
import Testing

@testable import OfferctlCommands

@Suite("--chart")
struct ChartOptionsTests {
    private static let answer = """
        {"asOf":1798700400000,"from":1793491200000,"to":1796083200000,"offers":[{"offerId":"<half> & price",\
        "stages":{"evaluated":120000,"eligible":38000,"issued":21400,"redeemed":6310,"renewedAtFullPrice":1204,\
        "stillActive":980},"notIssued":{"heldOut":1,"notInRollout":0,"paused":0,"ineligible":1,"undetermined":0,\
        "removed":0},"reasons":[],"redemptions":{"inOffer":1,"refunded":0,"doubled":0,"redeemedByAnother":3,\
        "redeemedWithoutSlot":0},"requestsOfUnknown":8,"discountCost":[],"slotsWithoutCost":0,\
        "holdoutLift":{"outcome":"activeAtAsOf","treated":{"customers":0,"active":0,"undetermined":0},\
        "heldOut":{"customers":0,"active":0,"undetermined":0},"minimumCustomers":30},\
        "saveRate":{"definition":"autoRenewOnAfter30Days","judged":0,"saved":0,"undetermined":0,"pending":1}}]}
        """
    private static let words = """
        evaluated: 120,000; eligible: 38,000 · 31.7 %; issued: 21,400 · 56.3 %; redeemed: 6,310 · 29.5 %; \
        renewed at full price: 1,204 · 19.1 %; still active: 980 · 81.4 %
        """

    private func run(_ arguments: [String], in directory: TemporaryDirectory, answers body: String = answer)
        async throws
        -> Command
    {
        let reply = ScriptedServer.Reply(
            status: 200, headers: [("Content-Type", "application/json")], body: body)
        return try await ScriptedServer.run(["GET /v1/reports/funnel": reply]) { server in
            try await OfferctlProcess.run(
                ["report", "funnel"] + arguments,
                ["OFFERCTL_TOKEN": "offerd_1_secret", "OFFERCTL_SERVER": server.address], directory: directory.url)
        }
    }

    private func files(_ directory: TemporaryDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted()
    }

    @Test("the file has the picture, in place of what it had, and the text is as without it", arguments: [false, true])
    func file(isThere: Bool) async throws {
        let directory = try TemporaryDirectory()
        if isThere { try directory.write("older", to: "Funnel.SVG") }
        let run = try await run(["--chart", "Funnel.SVG"], in: directory)
        #expect(run.status == 0 && run.errorText == "the chart is in `Funnel.SVG`\n")
        #expect(run.text == (try await self.run([], in: directory).text))
        #expect(try files(directory) == ["Funnel.SVG"])
        let svg = try String(contentsOf: directory.url.appending(path: "Funnel.SVG"), encoding: .utf8)
        #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n") && svg.contains(Self.words))
        #expect(svg.contains("Funnel of &lt;half&gt; &amp; price") && !svg.contains("<half>"))
        #expect(svg.contains("first evaluated from 2026-11-01 00:00 UTC until 2026-12-01 00:00 UTC"))
    }

    @Test("`--chart -` prints the same picture and nothing else")
    func printed() async throws {
        let directory = try TemporaryDirectory()
        _ = try await run(["--chart", "a.svg"], in: directory)
        let run = try await run(["--chart", "-"], in: directory)
        #expect(run.status == 0 && run.errorText.isEmpty)
        #expect(run.text == (try String(contentsOf: directory.url.appending(path: "a.svg"), encoding: .utf8)))
    }

    @Test("an answer that is none leaves the file as it was, and no draft beside it")
    func refused() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("older", to: "a.svg")
        let run = try await run(["--chart", "a.svg"], in: directory, answers: "{")
        #expect(run.status != 0)
        #expect(try files(directory) == ["a.svg"])
        #expect(try String(contentsOf: directory.url.appending(path: "a.svg"), encoding: .utf8) == "older")
    }

    @Test("a catalog without offers gives a picture that says so")
    func none() async throws {
        let body = #"{"asOf":1798700400000,"from":1793491200000,"offers":[],"to":1796083200000}"#
        let run = try await run(["--chart", "-"], in: try TemporaryDirectory(), answers: body)
        #expect(run.status == 0 && run.text.contains(">no data</desc>") && run.text.contains(">no data</text>"))
    }

    @Test(
        "only names that end in .svg are taken",
        arguments: ["a", "a.png", "a.svg.html", "a.svgz", "svg", "/dev/null", "../a.yaml", "--"])
    func names(_ name: String) async throws {
        let directory = try TemporaryDirectory()
        let run = try await OfferctlProcess.run(["report", "funnel", "--chart=\(name)"], directory: directory.url)
        #expect(run.status == 2 && run.text.isEmpty)
        #expect(run.errorText.hasPrefix("error: `--chart` writes SVG only: `\(name)` does not end in .svg\n"))
        #expect(try files(directory) == [])
    }

    @Test("a series is one chart of the counts and one for each currency; an amount that cannot be drawn is a gap")
    func series() {
        let series = OfferSeries {
            ($0.offer, $0.by, $0.timeZone) = ("a", .day, "UTC")
            $0.buckets = [
                .init {
                    ($0.date, $0.requests, $0.eligible, $0.issued, $0.redeemed) = ("2026-11-01", 1_200, 9, 7, 3)
                    $0.spend = [
                        Price { ($0.amount, $0.currency) = ("4965.00", "USD") },
                        Price { ($0.amount, $0.currency) = ("1", "EUR") },
                    ]
                    $0.revenue = [Price { ($0.amount, $0.currency) = ("-245.10", "USD") }]
                },
                .init {
                    $0.date = "2026-11-02"
                    $0.spend = [Price { ($0.amount, $0.currency) = ("x", "EUR") }]
                },
            ]
        }
        #expect(
            OfferCharts.series(series).map(\.words) == [
                "2026-11-01: requests 1,200, eligible 9, issued 7, redeemed 3; "
                    + "2026-11-02: requests 0, eligible 0, issued 0, redeemed 0",
                "2026-11-01: spend 1.00, revenue 0; 2026-11-02: spend not known, revenue 0",
                "2026-11-01: spend 4,965.00, revenue -245.10; 2026-11-02: spend 0, revenue 0",
            ])
    }

    @Test("a simulation is its waterfall and the days after it, without shares of what is only known to be few")
    func simulation() {
        let result = SimulationResult {
            $0.waterfall = [
                .init { ($0.step, $0.customers) = ("customers", .exactly(120_000)) },
                .init { ($0.step, $0.customers) = ("lapsed", .exactly(38_000)) },
                .init { ($0.step, $0.customers) = ("paid", .fewerThan(10)) },
            ]
            $0.next30Days = [
                .init { ($0.day, $0.eligible) = ("2026-12-01", .exactly(20_400)) },
                .init { ($0.day, $0.eligible) = ("2026-12-02", .fewerThan(10)) },
            ]
        }
        #expect(
            OfferCharts.simulation(result, of: "a").map(\.words) == [
                "customers: 120,000; lapsed: 38,000 · 31.7 %; paid: fewer than 10",
                "2026-12-01: become eligible 20,400; 2026-12-02: become eligible fewer than 10",
            ])
        #expect(
            OfferCharts.simulation(SimulationResult(), of: "a").map(\.words) == ["no data"],
            "no chart of days on which no customer becomes eligible")
    }
}
