import Foundation
import OfferTestSupport
import Testing

@testable import OfferctlCommands

@Suite("offerctl against a server: what is asked, what is printed, how it ends")
struct DryRunCommandTests {
    static let one = ["dry-run", "--offer", "comeback-half-price", "--customer-id", "user-17"]

    static func run(
        _ arguments: [String], _ replies: [String: ScriptedServer.Reply]
    ) async throws -> (Command, [ScriptedServer.Request]) {
        try await ScriptedServer.run(replies) { server in
            let run = try await OfferctlProcess.run(
                arguments, ["OFFERCTL_TOKEN": "offerd_1_secret\n", "OFFERCTL_SERVER": server.address])
            return (run, server.seen)
        }
    }

    private func decisions(_ name: String) throws -> [String: ScriptedServer.Reply] {
        ["POST /v1/decisions": .json(200, try Fixture.text("dry-run/\(name).json"))]
    }

    @Test("one eligible offer ends with 0 and prints every finding to stdout without colours if it is asked for")
    func eligible() async throws {
        let (run, _) = try await Self.run(Self.one + ["--detail", "full"], try decisions("eligible"))
        #expect(run.status == 0)
        #expect(run.errorText.isEmpty)
        #expect(run.text.hasPrefix("comeback-half-price: eligible\n\n✓ the offer is active  [catalog.status]\n"))
    }

    @Test(
        "one offer that is not eligible or undetermined ends with 1",
        arguments: [
            ("not-eligible", "comeback-half-price", "comeback-half-price: not eligible\n"),
            ("undetermined", "welcome-week", "welcome-week: undetermined: "),
        ])
    func answeredNo(_ name: String, _ offer: String, _ start: String) async throws {
        let (run, _) = try await Self.run(["dry-run", "--offer", offer, "--customer-id", "x"], try decisions(name))
        #expect(run.status == 1)
        #expect(run.errorText.isEmpty)
        #expect(run.text.hasPrefix(start))
    }

    @Test("all offers end with 0 whatever their outcomes")
    func all() async throws {
        let (run, seen) = try await Self.run(["dry-run", "--all", "--customer-id", "x"], try decisions("overview"))
        #expect(run.status == 0)
        #expect(run.text.hasSuffix("\nbest offer: free-month-back\n"))
        #expect(seen.map(\.body) == [#"{"customer":{"customerId":"x"}}"#])
    }

    @Test("--json prints the server's document, byte for byte, with the same exit status")
    func json() async throws {
        let (run, _) = try await Self.run(Self.one + ["--json"], try decisions("not-eligible"))
        #expect(run.status == 1)
        #expect(try run.text == Fixture.text("dry-run/not-eligible.json"))
    }

    @Test("the request carries the key, the customer, the product and typed signals")
    func request() async throws {
        let (_, seen) = try await Self.run(
            Self.one + [
                "--original-transaction-id", "2000", "--app-account-token", "0E1F2A3B-4C5D-4E6F-8A9B-0C1D2E3F4A5B",
                "--product", "com.example.pro.monthly", "--signal", "interactions=52", "--signal", "seen=true",
                "--signal", "plan=basic",
            ], try decisions("eligible"))
        let request = try #require(seen.first)
        #expect(seen.count == 1)
        #expect(request.headers["authorization"] == "Bearer offerd_1_secret")
        #expect(request.headers["content-type"] == "application/json")
        let sent = try JSONSerialization.jsonObject(with: Data(request.body.utf8)) as? NSDictionary
        let expected =
            try JSONSerialization.jsonObject(
                with: Data(
                    """
                    {"customer":{"originalTransactionId":"2000","customerId":"user-17",
                     "appAccountToken":"0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"},
                     "offerIds":["comeback-half-price"],"productId":"com.example.pro.monthly",
                     "signals":{"interactions":52,"seen":true,"plan":"basic"}}
                    """.utf8)) as? NSDictionary
        #expect(sent == expected)
    }

    @Test("a customer is looked up by every identifier given, and the story goes to stdout")
    func customer() async throws {
        let (run, seen) = try await Self.run(
            ["customers", "show", "--original-transaction-id", "2000", "--customer-id", "a+b"],
            ["GET /v1/customers": .json(200, try Fixture.text("customers/lapsed.json"))])
        #expect(run.status == 0)
        #expect(seen.map(\.uri) == ["/v1/customers?originalTransactionId=2000&customerId=a%2Bb"])
        #expect(run.text.hasPrefix("Customer\n  IDENTIFIER             VALUE "))
        #expect(run.text.contains("\nTimeline\n"))
    }
}
