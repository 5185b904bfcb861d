import OfferTestSupport
import Testing

@testable import OfferctlCommands

@Suite("colours")
struct ColourTests {
    private func paused(_ environment: [String: String], atTerminal: Bool) async throws -> String {
        let body = #"""
            {"decisions":[{"delivery":"signature","findings":[{"reason":"paused","rule":"catalog.paused",\#
            "verdict":"violated","message":"the offer is paused"}],"offerId":"a","outcome":"ineligible","priority":0}]}
            """#
        return try await ScriptedServer.run(["POST /v1/decisions": .json(200, body)]) { server in
            let environment = ["OFFERCTL_TOKEN": "offerd_1_secret", "OFFERCTL_SERVER": server.address]
                .merging(environment) { $1 }
            let arguments = ["dry-run", "--offer", "a", "--customer-id", "x"]
            let program = BuiltProgram("offerctl")
            let run =
                atTerminal
                ? try await program.runAtTerminal(arguments, environment: environment)
                : try await program.run(arguments, environment: environment)
            #expect(run.status == 1, "\(run.errorText)")
            return run.text.replacing("\r\n", with: "\n")
        }
    }

    private static let plain = """
        a: not eligible
        ✗ the offer is paused  [catalog.paused]
            this will not change

        """

    @Test("at a terminal a no is red")
    func terminal() async throws {
        let text = try await paused(["TERM": "xterm"], atTerminal: true)
        #expect(text.hasPrefix("\u{1B}[1ma\u{1B}[0m: \u{1B}[31mnot eligible\u{1B}[0m\n"), "\(text.debugDescription)")
        #expect(try await paused(["TERM": "xterm", "NO_COLOR": ""], atTerminal: true) == text)
    }

    @Test(
        "with NO_COLOR or at a terminal without colours there are none",
        arguments: [["TERM": "xterm", "NO_COLOR": "1"], ["TERM": "dumb"]])
    func forbidden(_ environment: [String: String]) async throws {
        #expect(try await paused(environment, atTerminal: true) == Self.plain)
    }

    @Test("in a pipe there are none")
    func pipe() async throws {
        #expect(try await paused(["TERM": "xterm"], atTerminal: false) == Self.plain)
    }
}
