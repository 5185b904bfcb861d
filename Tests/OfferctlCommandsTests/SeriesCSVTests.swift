import OfferTestSupport
import Testing

@testable import CommandLineSupport
@testable import OfferctlCommands

@Suite("a series for a spreadsheet and a terminal")
struct SeriesCSVTests {
    private static func answer(products: String = "") -> String {
        """
        {"asOf":1798700400000,"by":"day","from":1793487600000,"offer":"=offer","timeZone":"Europe/Berlin",\
        "to":1793660400000,"buckets":[{"date":"2026-11-01","eligible":2,"from":1793487600000,"granted":0,"issued":1,"redeemed":1,\
        "redeemedWithoutCost":0,"refused":[{"count":3,"rule":"rule.eligibility"}],"removed":1,"requests":6,\
        "revenue":[{"amount":"9.99","currency":"EUR"},{"amount":"19.98","currency":"USD"}],\
        "spend":[{"amount":"5.00","currency":"USD"}]\(products)},{"date":"2026-11-02","eligible":0,"from":1793574000000,\
        "granted":0,"issued":0,"redeemed":0,"redeemedWithoutCost":0,"refused":[],"removed":0,"requests":0,"revenue":[],"spend":[]}]}
        """
    }

    @Test("`--csv` prints one number a row under columns that never change, as another reader sees them")
    func rows() async throws {
        let reply = ScriptedServer.Reply.json(200, Self.answer())
        try await ScriptedServer.run(["GET /v1/reports/series": reply]) { server in
            let run = try await OfferctlProcess.run(
                ["report", "series", "--offer", "=offer", "--csv"],
                ["OFFERCTL_TOKEN": "offerd_1_secret", "OFFERCTL_SERVER": server.address])
            #expect(run.status == 0 && run.errorText.isEmpty)
            let rows = try CSVReading.rows(run.output)
            #expect(
                rows.first == [
                    "offerId", "by", "timeZone", "bucketFrom", "bucketDate", "measure", "rule", "value", "currency",
                ])
            #expect(rows.count == 19 && rows.allSatisfy { $0.count == 9 })
            #expect(rows[1].prefix(5) == ["'=offer", "day", "Europe/Berlin", "2026-10-31T23:00:00Z", "2026-11-01"])
            let first = rows.filter { $0[4] == "2026-11-01" }.map { $0.suffix(4).joined(separator: " ") }
            #expect(
                first == [
                    "requests  6 ", "eligible  2 ", "issued  1 ", "granted  0 ", "redeemed  1 ",
                    "redeemedWithoutCost  0 ",
                    "removed  1 ", "refused rule.eligibility 3 ", "spend  5.00 USD", "revenue  9.99 EUR",
                    "revenue  19.98 USD",
                ])
        }
    }

    @Test("with `--products` the product is in the column of rules, and what a spreadsheet would compute is a text")
    func products() async throws {
        let answer = Self.answer(
            products: """
                ,"trials":[{"productId":"=monthly","ended":7,"converted":3,"undecided":2}],\
                "churn":[{"productId":"=monthly","due":40,"lost":5,"undecided":6},{"productId":"yearly","due":1,"lost":0,\
                "undecided":1}]
                """)
        let reply = ScriptedServer.Reply.json(200, answer)
        try await ScriptedServer.run(["GET /v1/reports/series": reply]) { server in
            let run = try await OfferctlProcess.run(
                ["report", "series", "--offer", "=offer", "--products", "--csv"],
                ["OFFERCTL_TOKEN": "offerd_1_secret", "OFFERCTL_SERVER": server.address])
            #expect(run.status == 0 && run.errorText.isEmpty)
            #expect(server.seen.map(\.line) == ["GET /v1/reports/series?offer=%3Doffer&products=true"])
            let rows = try CSVReading.rows(run.output)
            #expect(rows.count == 28 && rows.allSatisfy { $0.count == 9 })
            #expect(
                rows.map { $0.suffix(4).joined(separator: " ") }.filter {
                    $0.hasPrefix("trials") || $0.hasPrefix("periods")
                } == [
                    "trialsEnded '=monthly 7 ", "trialsConverted '=monthly 3 ", "trialsUndecided '=monthly 2 ",
                    "periodsDue '=monthly 40 ", "periodsLost '=monthly 5 ", "periodsUndecided '=monthly 6 ",
                    "periodsDue yearly 1 ", "periodsLost yearly 0 ", "periodsUndecided yearly 1 ",
                ])
        }
    }
}
