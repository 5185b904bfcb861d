import OfferTestSupport
import Testing

@testable import OfferctlCommands

@Suite("every way of not getting an answer is told apart")
struct OfferdClientTests {
    static let show = ["customers", "show", "--customer-id", "x"]

    private func refused(_ reply: ScriptedServer.Reply) async throws -> Command {
        let (run, _) = try await DryRunCommandTests.run(Self.show, ["GET /v1/customers": reply])
        #expect(run.text.isEmpty)
        #expect(!run.errorText.contains("secret"), "the token must not be shown")
        return run
    }

    private func unreachable(_ address: String, _ more: [String] = []) async throws -> Command {
        let run = try await OfferctlProcess.run(
            Self.show + ["--server", address] + more, ["OFFERCTL_TOKEN": "offerd_1_secret"])
        #expect(run.status == 3)
        #expect(run.text.isEmpty)
        #expect(run.errorText.split(separator: "\n").count == 2, "\(run.errorText)")
        #expect(run.errorText.contains("\nhint: "))
        return run
    }

    @Test(
        "a refusal shows the server's words, then its hint or ours, and ends with 1",
        arguments: [
            (
                401, "unauthenticated", "",
                "the key in OFFERCTL_TOKEN may be revoked, expired or of another server; `offerd api-keys list` shows it"
            ),
            (403, "forbidden", #","hint":"this call needs the role `support` or `admin`""#, "this call needs the role"),
            (404, "unknown-customer", #","hint":"check the id""#, "check the id"),
            (429, "rate-limited", "", "try again in 7 seconds"),
            (422, "a-code-of-the-future", #","hint":"update""#, "update"),
        ])
    func problem(_ status: Int, _ code: String, _ more: String, _ hint: String) async throws {
        let headers = status == 429 ? [("Retry-After", "7")] : []
        let run = try await refused(.problem(status, code, "this is why", more, headers: headers))
        #expect(run.status == 1)
        #expect(run.errorText.hasPrefix("error: this is why\nhint: \(hint)"), "\(run.errorText)")
    }

    @Test(
        "a message names the variable or the option that a value comes from",
        arguments: [
            (
                ["OFFERCTL_SERVER": "localhost"], [],
                "`localhost` in OFFERCTL_SERVER is not the address of a server",
                "write it like `http://127.0.0.1:8080` or `https://offers.example.com`"
            ),
            (
                ["OFFERCTL_SERVER": "http://127.0.0.1:9"], ["--server", "localhost"],
                "`localhost` in `--server` is not the address of a server",
                "write it like `http://127.0.0.1:8080` or `https://offers.example.com`"
            ),
            (
                ["OFFERCTL_SERVER": "http://127.0.0.1:9"], [],
                "nothing answers at `http://127.0.0.1:9`: the connection was refused",
                "start it with `offerd serve`, or set another address in OFFERCTL_SERVER"
            ),
            (
                ["OFFERCTL_SERVER": "http://nowhere.invalid"], [],
                "no host is known by the name in `http://nowhere.invalid`",
                "check the spelling in OFFERCTL_SERVER, and the network"
            ),
            (
                ["OFFERCTL_TOKEN": "offerd 1"], [], "OFFERCTL_TOKEN has characters that no API key's token has",
                "a token looks like `offerd_<role>_<live|test>_<id>_<secret>`"
            ),
            (
                [:], ["--token", "offerd 1"], "`--token` has characters that no API key's token has",
                "a token looks like `offerd_<role>_<live|test>_<id>_<secret>`"
            ),
            (
                ["OFFERCTL_TOKEN": " "], [], "OFFERCTL_TOKEN is blank, and no API key is given",
                "set OFFERCTL_TOKEN or use `--token`; `offerctl login` saves one"
            ),
            (
                ["OFFERCTL_TOKEN": ""], [], "no API key is given",
                "set OFFERCTL_TOKEN or use `--token`; `offerctl login` saves one"
            ),
        ] as [([String: String], [String], String, String)])
    func source(
        _ variables: [String: String], _ options: [String], _ message: String, _ hint: String
    ) async throws {
        let run = try await OfferctlProcess.run(
            Self.show + options, ["OFFERCTL_TOKEN": "offerd_1_secret"].merging(variables) { $1 })
        #expect(run.errorText.hasPrefix("error: \(message)\nhint: \(hint)\n"), "\(run.errorText)")
    }

    @Test("a refused key is that of the variable or of the option")
    func refusedKey() async throws {
        let refusals = ["GET /v1/customers": ScriptedServer.Reply.problem(401, "unauthenticated", "no", "")]
        try await ScriptedServer.run(refusals) { server in
            let run = try await OfferctlProcess.run(
                Self.show + ["--token", "offerd_2_secret"],
                ["OFFERCTL_TOKEN": "offerd_1_secret", "OFFERCTL_SERVER": server.address])
            #expect(run.errorText.contains("hint: the key in `--token` may be revoked"), "\(run.errorText)")
        }
    }

    @Test("a request's own errors are shown with their pointer")
    func pointer() async throws {
        let run = try await refused(
            .problem(
                400, "invalid-request", "see errors",
                #","errors":[{"code":"invalidValue","detail":"`x` is nobody","pointer":"/customer/x"}]"#))
        #expect(run.status == 1)
        #expect(run.errorText == "error: `x` is nobody at /customer/x\n")
    }

    @Test("a failure inside the server ends with 3 and names the request for its log")
    func serverFailure() async throws {
        let run = try await refused(.problem(500, "internal", "internal error"))
        #expect(run.status == 3)
        #expect(
            run.errorText == """
                error: internal error
                hint: the server's log has more under the request id `req-1`

                """)
    }

    @Test(
        "what does not answer like an offerd is named as such",
        arguments: [
            ScriptedServer.Reply(status: 200, headers: [("Content-Type", "text/html")], body: "<html>"),
            .json(200, "{\"hello\":1}"), .json(200, "no json"), .json(404, "{}"),
            .init(status: 502, headers: [("Content-Type", "text/html")], body: "bad gateway"),
            .init(
                status: 404, headers: [("Content-Type", "application/problem+json")], body: "{\"type\":\"about:blank\"}"
            ),
            .init(status: 204, headers: [], body: ""),
        ])
    func stranger(_ reply: ScriptedServer.Reply) async throws {
        let run = try await refused(reply)
        #expect(run.status == 3)
        #expect(run.errorText.contains("is not one that offerd gives: status \(reply.status)"), "\(run.errorText)")
        #expect(run.errorText.contains("\nhint: "))
    }

    @Test("a redirect is not followed with the key, but told")
    func redirect() async throws {
        let run = try await refused(
            .init(status: 301, headers: [("Location", "https://other.example/")], body: ""))
        #expect(run.status == 3)
        #expect(run.errorText.contains("hint: it points to `https://other.example/`"))
    }

    @Test("nobody listening")
    func connectionRefused() async throws {
        let address = try await ScriptedServer.run([:]) { $0.address }
        let run = try await unreachable(address)
        #expect(run.errorText.hasPrefix("error: nothing answers at `\(address)`: the connection was refused\n"))
        let named = address.replacing("127.0.0.1", with: "localhost")
        #expect(try await unreachable(named).errorText.contains("the connection was refused"))
    }

    @Test("a host that nobody knows")
    func unknownHost() async throws {
        let run = try await unreachable("http://no-such-host.invalid")
        #expect(run.errorText.hasPrefix("error: no host is known by the name in `http://no-such-host.invalid`\n"))
    }

    @Test("a server that never answers")
    func timeout() async throws {
        try await ScriptedServer.run(["GET /v1/customers": .silence]) { server in
            let run = try await unreachable(server.address, ["--timeout", "1"])
            #expect(run.errorText.hasPrefix("error: no answer from `\(server.address)` within 1 s\n"))
        }
    }

    @Test("https where no TLS is spoken")
    func noTLS() async throws {
        try await ScriptedServer.run([:]) { server in
            let address = server.address.replacing("http:", with: "https:")
            let run = try await unreachable(address)
            #expect(
                run.errorText == """
                    error: `\(address)` does not speak TLS
                    hint: check the port, or write `http:` if that server has no TLS

                    """)
        }
    }

    @Test("a certificate from nobody this machine trusts, and the same server asked without TLS")
    func untrustedCertificate() async throws {
        let server = try SelfSignedServer()
        let plain = server.address.replacing("https:", with: "http:")
        #expect(
            try await unreachable(plain).errorText == """
                error: `\(plain)` closed the connection before it had answered
                hint: try again; `http` and `https` in the address may also be mixed up

                """)
        let run = try await unreachable(server.address)
        #expect(
            run.errorText.hasPrefix(
                "error: no trusted TLS connection to `\(server.address)`: certificate verify failed\n"),
            "\(run.errorText)")
    }
}
