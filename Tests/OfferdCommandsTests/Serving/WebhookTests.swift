import AsyncHTTPClient
import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("Webhooks of a running server")
struct WebhookTests {
    /// Answers 204, and writes a line per message: whether its signature is right, its id and its body. It verifies by
    /// Python's own HMAC.
    private static let receiver = """
        import base64, hashlib, hmac, http.server, sys
        secret, out = base64.b64decode(sys.argv[1]), open(sys.argv[2], "a", buffering=1)
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body, head = self.rfile.read(int(self.headers["content-length"])), self.headers
                signed = f"{head['webhook-id']}.{head['webhook-timestamp']}.".encode() + body
                right = "v1," + base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
                print(right in head["webhook-signature"].split(" "), head["webhook-id"], body.decode(), file=out)
                self.send_response(204)
                self.end_headers()
            def log_message(self, *_): pass
        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, file=out)
        server.serve_forever()
        """
    private static let secret = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    @Test("a webhook that is added to offerd.yaml gets the next events, signed, and doctor says when it took one")
    func added() async throws {
        let installation = try await Installation()
        let directory = installation.directory
        let messages = try directory.write("", to: "messages.txt")
        let receiver = Process()
        receiver.executableURL = URL(filePath: "/usr/bin/env")
        receiver.arguments = ["python3", "-c", Self.receiver, Self.secret, messages]
        receiver.standardOutput = FileHandle.nullDevice
        receiver.standardError = FileHandle.nullDevice
        try receiver.run()
        // A process of tests can inherit that SIGTERM is ignored.
        defer { kill(receiver.processIdentifier, SIGKILL) }
        func lines() throws -> [Substring] {
            try String(contentsOfFile: messages, encoding: .utf8).split(separator: "\n")
        }
        try await until("the receiver listens") { try !lines().isEmpty }
        let port = try #require(try lines().first)
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, server, client: client)
        let yaml = try String(contentsOfFile: directory.path("offerd.yaml"), encoding: .utf8)
        let webhook = "url: 'http://127.0.0.1:\(port)/', secrets: [whsec_\(Self.secret)], events: [offer.issued]"
        try directory.write(yaml + "webhooks: [{ \(webhook) }]\n", to: "offerd.yaml")
        server.signal(SIGHUP)
        try await until("the webhook is known") {
            let doctor = try await Self.doctor(installation)
            return doctor.contains("webhook `127.0.0.1`") && doctor.contains("has taken no event yet")
        }
        let answer = try await server.ask(
            "POST", "/v1/issued-offers", token: try installation.token(.client),
            body: """
                {"offerId":"comeback","customer":{"originalTransactionId":"\(Installation.originalTransactionId(1))"},\
                \(try installation.lapsedCustomer(1))}
                """, client: client)
        let id = try #require(answer.json["issuedOfferId"] as? String)
        try await until("the event arrives") { try lines().count == 2 }
        let message = try #require(try lines().last)
        let feed = try await server.ask(
            "GET", "/v1/events?type=offer.issued", token: try installation.token(.support), client: client)
        let event = try #require((feed.json["items"] as? [[String: Any]])?.first)
        #expect(message.hasPrefix("True \(try #require(event["id"] as? String)) {"))
        #expect(message.contains(#""type":"offer.issued""#) && message.contains(id))
        try await until("it is recorded") { try await Self.doctor(installation).contains("last took an event at") }
        try await client.shutdown()
        #expect(await server.stop() == 0)
        #expect(try lines().count == 2)
        #expect(try !installation.logs().joined().contains(Self.secret))
    }

    private static func doctor(_ installation: Installation) async throws -> String {
        try await Installation.offerd.run(
            ["doctor", "--config", "offerd.yaml"], directory: installation.directory.url
        ).text
    }
}
