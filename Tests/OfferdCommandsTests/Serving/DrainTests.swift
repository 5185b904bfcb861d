import AsyncHTTPClient
import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("offerd drain")
struct DrainTests {
    private let installation: Installation

    init() async throws { installation = try await Installation() }

    private func drain(_ arguments: String...) throws -> StartedCommand {
        try StartedCommand(["drain", "--config", "offerd.yaml"] + arguments, directory: installation.directory.url)
    }

    private func refusal(_ arguments: String...) async throws -> Command {
        try await Installation.offerd.run(
            ["drain", "--config", "offerd.yaml"] + arguments, directory: installation.directory.url)
    }

    private func ready(_ server: RunningServer, _ client: HTTPClient) async throws -> RunningServer.Answer {
        try await server.ask("GET", "/readyz", token: "", client: client)
    }

    private func waitUntilDraining(_ server: RunningServer, _ client: HTTPClient) async throws {
        while try await ready(server, client).status == 200 { await Task.yield() }
    }

    /// The exit status of a drain that is left to itself.
    private func status(of command: StartedCommand) async throws -> Int32 { try await command.end(with: 0).status }

    @Test("`/readyz` fails and says why, requests on new connections are answered, then the server ends with 0")
    func drain() async throws {
        let server = try await RunningServer.start(installation)
        let other = try await RunningServer.start(try await Installation())
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        #expect(try await ready(server, client).status == 200)
        let started = ContinuousClock.now
        let command = try drain("--for", "3s")
        try await waitUntilDraining(server, client)
        let red = try await ready(server, client)
        #expect(red.status == 503)
        #expect(red.json["code"] as? String == "not-ready")
        #expect(red.json["detail"] as? String == "the server is draining: it answers what still comes, and stops soon")
        let late = HTTPClient(configuration: HTTPClient.Configuration())
        #expect(try await server.ask("GET", "/healthz", token: "", client: late).status == 200)
        let decided = try await server.ask(
            "POST", "/v1/decisions", token: try installation.token(.support), body: #"{"customer":{"customerId":"c"}}"#,
            client: late)
        #expect(decided.status == 200)
        let end = try await command.end(with: 0)
        #expect(ContinuousClock.now - started >= .seconds(3))
        #expect(end.status == 0, "\(end.errorText)")
        let number = server.processIdentifier
        #expect(
            end.output == """
                draining process \(number), which gets SIGTERM in 3 s
                process \(number) has ended

                """)
        #expect(await server.stop() == 0)
        let log = try installation.logs().joined()
        let steps = ["draining: ", "stopping: ", "no request is in progress", "stopped: "]
        #expect(steps.compactMap { log.range(of: $0)?.lowerBound }.count == steps.count, "\(log)")
        #expect(try await ready(other, client).status == 200, "another server was drained")
        try await client.shutdown()
        try await late.shutdown()
        #expect(await other.stop() == 0)
    }

    @Test("SIGTERM ends a drain at once, and the command with it")
    func terminated() async throws {
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        let command = try drain("--for", "60m")
        try await waitUntilDraining(server, client)
        try await client.shutdown()
        #expect(await server.stop() == 0)
        #expect(try await status(of: command) == 0)
    }

    @Test("of two drains the one that ends first counts, and the server is drained once")
    func twice() async throws {
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        let long = try drain("--for", "PT1H")
        try await waitUntilDraining(server, client)
        try await client.shutdown()
        let short = try drain("--for", "1s")
        #expect(try await status(of: short) == 0)
        #expect(try await status(of: long) == 0)
        #expect(await server.stop() == 0)
        let log = try installation.logs().joined()
        #expect(log.split(separator: "\n").count { $0.contains("draining: ") } == 1, "\(log)")
    }

    @Test(
        "a drain that is interrupted leaves the server draining, and the next one stops it",
        arguments: [SIGINT, SIGTERM])
    func interrupted(_ number: Int32) async throws {
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        let command = try drain("--for", "60m")
        try await waitUntilDraining(server, client)
        #expect(try await command.end(with: number).status != 0)
        #expect(try await ready(server, client).status == 503)
        try await client.shutdown()
        #expect(try await status(of: try drain("--for", "1s")) == 0)
        #expect(await server.stop() == 0)
    }

    @Test("of several servers with one configuration one is to be named, and the others go on")
    func several() async throws {
        let servers = [try await RunningServer.start(installation), try await RunningServer.start(installation)]
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        let numbers = servers.map(\.processIdentifier).sorted().map(String.init).joined(separator: ", ")
        let both = try await refusal("--for", "1s")
        #expect(both.status == 1)
        #expect(
            both.errorText == """
                error: several processes serve with `offerd.yaml`: \(numbers)
                hint: name one of them with `--pid`

                """)
        let stranger = try await refusal("--for", "1s", "--pid", "1")
        #expect(stranger.status == 1)
        #expect(stranger.errorText.hasSuffix("hint: these do: \(numbers)\n"))
        for server in servers { #expect(try await ready(server, client).status == 200) }
        let named = try drain("--for", "1s", "--pid", String(servers[0].processIdentifier))
        #expect(try await status(of: named) == 0)
        #expect(try await ready(servers[1], client).status == 200)
        try await client.shutdown()
        for server in servers { #expect(await server.stop() == 0) }
    }

    @Test("a server is found by its file, however its path was written")
    func paths() async throws {
        let path = installation.directory.path("offerd.yaml")
        let server = try await RunningServer.start(
            [Installation.offerd.path, "serve", "--log-level", "notice", "--config=\(path)"],
            in: installation.directory, lines: 1)
        let link = installation.directory.path("link.yaml")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let command = try StartedCommand(
            ["drain", "--config", link, "--for", "1s"], directory: URL(filePath: "/"))
        #expect(try await status(of: command) == 0)
        #expect(await server.stop() == 0)
    }

    @Test(
        "a time that is no time, or too long, is wrong use and drains nothing",
        arguments: [
            "0s", "-1s", "30", "2h", "30 s", "1.5s", "३०s", "99999999999999999999s", "61m", "3601s", "P1D", "PT0S",
            "P1M", "soon", "30S",
        ])
    func times(_ text: String) async throws {
        let run = try await refusal("--for=\(text)")
        #expect(run.status == 2)
        #expect(
            run.errorText.hasPrefix("error: the value `\(text)` is invalid for `--for <time>`: "), "\(run.errorText)")
    }
}
