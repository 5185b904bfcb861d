import OfferTestSupport
import Testing

@testable import OfferctlCommands

@Suite("a funnel for a spreadsheet")
struct FunnelCSVTests {
    private static let answer = """
        {"asOf":1798700400000,"from":1793491200000,"to":1796083200000,"offers":[{"offerId":"=offer,1",\
        "stages":{"evaluated":7,"eligible":6,"issued":5,"redeemed":4,"renewedAtFullPrice":3,"stillActive":2},\
        "placements":[{"placement":"home","stages":{"evaluated":4,"eligible":4,"issued":3,"redeemed":3,\
        "renewedAtFullPrice":2,"stillActive":1}},{"stages":{"evaluated":3,"eligible":2,"issued":2,"redeemed":1,\
        "renewedAtFullPrice":1,"stillActive":1}}],\
        "notIssued":{"heldOut":1,"notInRollout":0,"paused":0,"ineligible":1,"undetermined":0,"removed":0},\
        "reasons":[{"rule":"rule.eligibility","verdict":"violated","fact":"subscription.state","customers":1,"alone":1}],\
        "redemptions":{"inOffer":1,"refunded":0,"doubled":0,"redeemedByAnother":3,"redeemedWithoutSlot":0},"requestsOfUnknown":8,\
        "discountCost":[{"currency":"EUR","issued":"10.00","redeemed":"8.00","refunded":"-0.50"}],"slotsWithoutCost":0,\
        "holdoutLift":{"outcome":"activeAtAsOf","treated":{"customers":40,"active":2,"undetermined":0},\
        "heldOut":{"customers":30,"active":3,"undetermined":0},"minimumCustomers":30,"difference":-0.05,\
        "interval":{"level":0.95,"method":"newcombe","lower":-0.2,"upper":9e-05}},\
        "saveRate":{"definition":"autoRenewOnAfter30Days","judged":0,"saved":0,"undetermined":0,"pending":1}}]}
        """

    @Test("`--csv` prints one number a row under columns that never change, as another reader sees them")
    func rows() async throws {
        let reply = ScriptedServer.Reply(
            status: 200, headers: [("Content-Type", "application/json")], body: Self.answer)
        try await ScriptedServer.run(["GET /v1/reports/funnel": reply]) { server in
            let run = try await OfferctlProcess.run(
                ["report", "funnel", "--csv"],
                ["OFFERCTL_TOKEN": "offerd_1_secret", "OFFERCTL_SERVER": server.address])
            #expect(run.status == 0 && run.errorText.isEmpty)
            #expect(run.text.split(separator: "\r\n").count == 51)
            let rows = try CSVReading.rows(run.output)
            #expect(
                rows.first == [
                    "from", "to", "asOf", "offerId", "section", "measure", "fact", "value", "currency",
                ])
            #expect(rows.count == 51)
            #expect(rows.allSatisfy { $0.count == 9 })
            let times = ["2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z", "2026-12-31T07:00:00Z", "'=offer,1"]
            #expect(rows.dropFirst().allSatisfy { Array($0.prefix(4)) == times })
            let values = Dictionary(
                rows.dropFirst().map { ("\($0[4])/\($0[5])", Array($0.suffix(3))) },
                uniquingKeysWith: { first, _ in first })
            #expect(values["stages/evaluated"] == ["", "7", ""])
            #expect(values["redemptions/redeemedByAnother"] == ["", "3", ""])
            #expect(values["stages/stillActive"] == ["", "2", ""])
            #expect(values["placements.home/issued"] == ["", "3", ""])
            #expect(values["placements/issued"] == ["", "2", ""])
            #expect(values["reasons.violated.alone/rule.eligibility"] == ["subscription.state", "1", ""])
            #expect(values["discountCost/refunded"] == ["", "-0.50", "EUR"], "a number stays a number")
            #expect(values["holdoutLift.activeAtAsOf/difference"] == ["", "-0.050000", ""])
            #expect(values["holdoutLift.activeAtAsOf/upper"] == ["", "0.000090", ""], "no exponent")
            #expect(values["saveRate.autoRenewOnAfter30Days/rate"] == ["", "", ""], "not known is empty, not 0")
            let table = try await OfferctlProcess.run(
                ["report", "funnel"], ["OFFERCTL_TOKEN": "offerd_1_secret", "OFFERCTL_SERVER": server.address])
            let lines = table.text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
            #expect(
                lines.contains("PLACEMENT EVALUATED ELIGIBLE ISSUED REDEEMED RENEWED AT FULL PRICE STILL ACTIVE"),
                "\(table.text)")
            #expect(lines.contains("home 4 4 3 3 2 1"))
            #expect(lines.contains("not stated 3 2 2 1 1 1"))
        }
    }
}
