import AsyncHTTPClient
import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("Webhooks of a running server")
struct WebhookTests {
    /// Answers 204, and writes a line per message: whether its signature is right and its time that of now, its id and its
    /// body. It verifies by Python's own HMAC. While the file `FILE.hang` exists it never answers.
    private static let receiver = """
        import base64, hashlib, hmac, http.server, os, sys, time
        secret, out = base64.b64decode(sys.argv[1]), open(sys.argv[2], "a", buffering=1)
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body, head = self.rfile.read(int(self.headers["content-length"])), self.headers
                signed = f"{head['webhook-id']}.{head['webhook-timestamp']}.".encode() + body
                right = "v1," + base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
                right = right in head["webhook-signature"].split(" ")
                fresh = abs(time.time() - int(head["webhook-timestamp"])) < 300
                print(right and fresh, head["webhook-id"], body.decode(), file=out)
                if os.path.exists(sys.argv[2] + ".hang"): time.sleep(3600)
                self.send_response(204)
                self.end_headers()
            def log_message(self, *_): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, file=out)
        server.serve_forever()
        """
    private static let secret = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    @Test("a webhook that is added to offerd.yaml gets the next events, signed, and doctor says when it took one")
    func added() async throws {
        let installation = try await Installation()
        let directory = installation.directory
        let (messages, port, receiver) = try await receiver(in: directory)
        // A process of tests can inherit that SIGTERM is ignored.
        defer { kill(receiver.processIdentifier, SIGKILL) }
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, server, client: client)
        try add(port, to: directory)
        server.signal(SIGHUP)
        try await until("the webhook is known") {
            let doctor = try await Self.doctor(installation)
            return doctor.contains("webhook `127.0.0.1`") && doctor.contains("has taken no event yet")
        }
        let answer = try await issue(installation, server, client)
        let id = try #require(answer.json["issuedOfferId"] as? String)
        try await until("the event arrives") { try messages().count == 1 }
        let message = try #require(try messages().last)
        let feed = try await server.ask(
            "GET", "/v1/events?type=offer.issued", token: try installation.token(.support), client: client)
        let event = try #require((feed.json["items"] as? [[String: Any]])?.first)
        #expect(message.hasPrefix("True \(try #require(event["id"] as? String)) {"))
        #expect(message.contains(#""type":"offer.issued""#) && message.contains(id))
        try await until("it is recorded") { try await Self.doctor(installation).contains("last took an event at") }
        try await client.shutdown()
        #expect(await server.stop() == 0)
        #expect(try messages().count == 1)
        #expect(try !installation.logs().joined().contains(Self.secret))
    }

    @Test("a server stops while a receiver does not answer, and the next one sends the event again under its id")
    func hanging() async throws {
        let installation = try await Installation()
        let directory = installation.directory
        let (messages, port, receiver) = try await receiver(in: directory)
        defer { kill(receiver.processIdentifier, SIGKILL) }
        try add(port, to: directory)
        try directory.write("", to: "messages.txt.hang")
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, server, client: client)
        try await until("the webhook is known") {
            try await Self.doctor(installation).contains("has taken no event yet")
        }
        _ = try await issue(installation, server, client)
        try await until("the event is sent") { try messages().count == 1 }
        #expect(await server.stop() == 0)
        try FileManager.default.removeItem(atPath: directory.path("messages.txt.hang"))
        let next = try await RunningServer.start(installation)
        // Sooner than the lease of the one that was stopped would end.
        try await until("the event is sent again") { try messages().count == 2 }
        #expect(try messages()[0] == messages()[1])
        try await until("it is recorded") { try await Self.doctor(installation).contains("last took an event at") }
        try await client.shutdown()
        #expect(await next.stop() == 0)
    }

    @Test("under a clock file messages are dated by real time and events by the file, and a test event leaves no trace")
    func testEvent() async throws {
        let installation = try await Installation()
        let directory = installation.directory
        let (messages, port, receiver) = try await receiver(in: directory)
        defer { kill(receiver.processIdentifier, SIGKILL) }
        try add(port, to: directory, events: "offer.refused")
        let time = Int64(Date().timeIntervalSince1970 * 1_000) + 400 * Instant.Duration.day
        try directory.write("\(time)\n", to: "clock")
        let server = try await RunningServer.start(installation, arguments: ["--clock-file", "clock"])
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, server, client: client)
        try await until("the webhook is known") {
            try await Self.doctor(installation).contains("has taken no event yet")
        }

        func sendTest(_ webhook: [String] = []) async throws -> Command {
            try await BuiltProgram("offerctl").run(
                ["events", "send-test"] + webhook,
                environment: ["OFFERCTL_SERVER": server.url, "OFFERCTL_TOKEN": try installation.token(.support)],
                directory: directory.url)
        }
        for names in [[], ["127.0.0.1"]] {
            let run = try await sendTest(names)
            #expect(run.status == 0, "\(run.errorText)")
            #expect(run.text == "✓ 127.0.0.1: the receiver accepted the event (status 204)\n")
        }
        let tests = try messages()
        #expect(tests.count == 2 && tests[0] != tests[1])
        for message in tests {
            #expect(message.hasPrefix("True ") && message.contains(#""type":"webhook.test""#), "\(message)")
            #expect(message.contains(#""occurredAt":\#(time)"#), "\(message)")
        }
        let feed = try await server.ask("GET", "/v1/events", token: try installation.token(.support), client: client)
        #expect((feed.json["items"] as? [Any])?.isEmpty == true, "\(feed.json)")
        #expect(try await Self.doctor(installation).contains("has taken no event yet"))

        let refused = try await server.ask(
            "POST", "/v1/issued-offers", token: try installation.token(.client),
            body: #"{"offerId":"comeback","customer":{"customerId":"stranger"}}"#, client: client)
        #expect(refused.json["decisionId"] != nil, "\(refused.json)")
        try await until("the event arrives") { try messages().count == 3 }
        let event = try #require(try messages().last)
        #expect(event.hasPrefix("True ") && event.contains(#""type":"offer.refused""#), "\(event)")
        #expect(event.contains(#""occurredAt":\#(time)"#), "\(event)")

        kill(receiver.processIdentifier, SIGKILL)
        receiver.waitUntilExit()
        let failed = try await sendTest()
        #expect(
            failed.status == 1 && failed.text.hasPrefix("✗ 127.0.0.1: the event was not delivered: "), "\(failed.text)")
        let unknown = try await sendTest(["localhost"])
        #expect(unknown.status == 1 && unknown.errorText.contains("is named `localhost`"), "\(unknown.errorText)")
        try await client.shutdown()
        #expect(await server.stop() == 0)
    }

    /// What a receiver gets, its port, and its process.
    private func receiver(
        in directory: TemporaryDirectory
    ) async throws -> (messages: @Sendable () throws -> [String], port: String, Process) {
        let file = try directory.write("", to: "messages.txt")
        let receiver = Process()
        receiver.executableURL = URL(filePath: "/usr/bin/env")
        receiver.arguments = ["python3", "-c", Self.receiver, Self.secret, file]
        receiver.standardOutput = FileHandle.nullDevice
        receiver.standardError = FileHandle.nullDevice
        try receiver.run()
        let lines = { @Sendable in
            try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
        }
        try await until("the receiver listens") { try !lines().isEmpty }
        return ({ Array(try lines().dropFirst()) }, try #require(try lines().first), receiver)
    }

    private func add(_ port: String, to directory: TemporaryDirectory, events: String = "offer.issued") throws {
        let yaml = try String(contentsOfFile: directory.path("offerd.yaml"), encoding: .utf8)
        let webhook = "url: 'http://127.0.0.1:\(port)/', secrets: [whsec_\(Self.secret)], events: [\(events)]"
        try directory.write(yaml + "webhooks: [{ \(webhook) }]\n", to: "offerd.yaml")
    }

    private func issue(
        _ installation: Installation, _ server: RunningServer, _ client: HTTPClient
    ) async throws -> RunningServer.Answer {
        try await server.ask(
            "POST", "/v1/issued-offers", token: try installation.token(.client),
            body: """
                {"offerId":"comeback","customer":{"originalTransactionId":"\(Installation.originalTransactionId(1))"},\
                \(try installation.lapsedCustomer(1))}
                """, client: client)
    }

    private static func doctor(_ installation: Installation) async throws -> String {
        try await Installation.offerd.run(
            ["doctor", "--config", "offerd.yaml"], directory: installation.directory.url
        ).text
    }
}
