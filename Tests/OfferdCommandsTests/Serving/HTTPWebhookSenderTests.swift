import Foundation
import OfferTestSupport
import Testing

@testable import OfferApplication
@testable import OfferdCommands

@Suite("Webhooks over HTTP")
struct HTTPWebhookSenderTests {
    /// Writes its port and then the path of each request. Answers as the path says.
    private static let receiver = """
        import http.server, sys, time
        out = open(sys.argv[1], "a", buffering=1)
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                print(self.path, file=out)
                if self.path == "/hang": time.sleep(30)
                self.send_response({"/redirect": 307, "/busy": 503}.get(self.path, 200))
                self.send_header("Location", "/other")
                self.send_header("Retry-After", "7")
                self.end_headers()
                while self.path in ("/endless", "/slow"):
                    self.wfile.write(b"x" * (1 if self.path == "/slow" else 65536))
                    if self.path == "/slow": time.sleep(0.05)
            def do_GET(self): print("GET " + self.path, file=out)
            def log_message(self, *_): pass
        http.server.ThreadingHTTPServer.daemon_threads = True
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, file=out)
        server.serve_forever()
        """

    @Test("a redirect is not followed, and a receiver that does not answer or does not end its answer is given up")
    func answers() async throws {
        let directory = try TemporaryDirectory()
        let requests = directory.path("requests.txt")
        try Data().write(to: URL(filePath: requests))
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.receiver, requests]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        // A process of tests can inherit that SIGTERM is ignored.
        defer { kill(process.processIdentifier, SIGKILL) }
        func lines() throws -> [String] {
            try String(contentsOfFile: requests, encoding: .utf8).split(separator: "\n").map(String.init)
        }
        while try lines().isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        let port = try #require(try lines().first)
        func replies(to paths: [String], timeout: Duration) async throws -> [WebhookReply] {
            try await HTTPWebhookSender.with(timeout: timeout) { sender in
                var replies: [WebhookReply] = []
                for path in paths {
                    let message = WebhookMessage(
                        url: "http://127.0.0.1:\(port)\(path)", id: "1", timestamp: "2", signature: "v1,3",
                        body: Array("{}".utf8))
                    replies.append(await sender.send(message))
                }
                return replies
            }
        }
        // Only receivers that never end their answer get little time: a busy machine may need seconds for the others.
        let (ending, endless) = (["/ok", "/redirect", "/busy", "/endless"], ["/hang", "/slow"])
        #expect(
            try await replies(to: ending, timeout: .seconds(60)) == [
                .status(200, retryAfter: "7"), .status(307, retryAfter: "7"), .status(503, retryAfter: "7"),
                .status(200, retryAfter: "7"),
            ])
        #expect(
            try await replies(to: endless, timeout: .seconds(1)) == [
                .failed("no answer in time"), .failed("no answer in time"),
            ])
        let paths = ending + endless
        #expect(try lines().dropFirst() == paths[...])
    }
}
