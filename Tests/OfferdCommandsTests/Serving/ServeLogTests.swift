import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("Log of serve")
struct ServeLogTests {
    private func log(_ arguments: [String] = [], configuration: String = "") async throws -> String {
        let installation = try await Installation()
        let path = installation.directory.path("offerd.yaml")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try installation.directory.write(text + configuration, to: "offerd.yaml")
        let server = try await RunningServer.start(installation, arguments: arguments)
        #expect(await server.stop() == 0)
        return try installation.logs().joined()
    }

    private func lines(_ log: String, _ word: String) -> String {
        log.split(separator: "\n").filter { $0.contains(word) }.map { $0 + "\n" }.joined()
    }

    @Test("without TLS it warns where other machines can reach it", arguments: ["0.0.0.0", "[::]"])
    func reachable(_ host: String) async throws {
        let shown = lines(try await log(["--listen", "\(host):0"]), " warning offerd: [OfferdCommands] API keys")
        let pattern = TerminalPattern(
            """
            {logged} warning offerd: [OfferdCommands] API keys and customers' data travel unencrypted, because other machines can \
            reach `\(host):{port}` and it has no TLS: set `tls`, or listen on 127.0.0.1 behind a proxy with TLS

            """)
        #expect(try pattern.matches(shown), "\(shown)")
    }

    @Test("on this machine alone it does not warn", arguments: ["127.0.0.1", "127.0.0.2", "[::1]", "localhost"])
    func loopback(_ host: String) async throws {
        let log = try await log(["--listen", "\(host):0"], configuration: "metrics: 127.0.0.1:0\n")
        #expect(!log.contains("other machines can reach"), "\(log)")
    }

    @Test("metrics that other machines can reach are warned of")
    func metrics() async throws {
        let shown = lines(try await log(configuration: "metrics: 0.0.0.0:0\n"), "other machines can reach")
        let pattern = TerminalPattern(
            """
            {logged} warning offerd: [OfferdCommands] other machines can reach `0.0.0.0:{port}`, which names apps and offers \
            without a key or TLS: listen on 127.0.0.1, or let only Prometheus reach it

            """)
        #expect(try pattern.matches(shown), "\(shown)")
    }

    @Test("a stop is logged step by step, and a request in progress is answered", arguments: ["TERM", "INT"])
    func shutdown(_ signal: String) async throws {
        let installation = try await Installation()
        let server = try await RunningServer.start(installation)
        let log = try #require(
            FileManager.default.contentsOfDirectory(atPath: installation.directory.url.path)
                .first { $0.hasPrefix("serve-") })
        // Once it is told to continue, the server works on the request; its body comes after the signal.
        let script = """
            import os, signal, socket, sys, time
            port, process, number, log, token = sys.argv[1:]
            body = b'{"customer":{"customerId":"c0nfidential"}}'
            server = socket.create_connection(("127.0.0.1", int(port)), 60)
            server.sendall(f"POST /v1/decisions HTTP/1.1\\r\\nHost: a\\r\\nAuthorization: Bearer {token}\\r\\nExpect: 100-continue\\r\\n"
                f"Content-Type: application/json\\r\\nContent-Length: {len(body)}\\r\\nConnection: close\\r\\n\\r\\n".encode())
            answer = b""
            while not answer.endswith(b"\\r\\n\\r\\n"): answer += server.recv(4096)
            os.kill(int(process), signal.Signals["SIG" + number])
            end = time.monotonic() + 60
            while "stopping: " not in open(log).read() and time.monotonic() < end: time.sleep(0.01)
            server.sendall(body)
            while part := server.recv(4096): answer += part
            print([line for line in answer.decode().split("\\r\\n") if line.startswith("HTTP/")])
            """
        let port = try #require(server.url.split(separator: ":").last)
        let arguments = [
            "-c", script, String(port), String(server.processIdentifier), signal, installation.directory.path(log),
            try installation.token(.support),
        ]
        let client = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try Command.run("python3", arguments) })
            }
        }
        #expect(client.text == "['HTTP/1.1 100 Continue', 'HTTP/1.1 200 OK']\n", "\(client.errorText)")
        #expect(await server.stop() == 0)
        let shown = lines(try installation.logs().joined(), " notice offerd: ")
        let pattern = TerminalPattern(
            """
            {logged} notice offerd: [OfferdCommands] stopping: requests in progress have 20 s to finish requests={number} signal=SIG\(signal)
            {logged} notice offerd: [OfferdCommands] no request is in progress any more duration.us={number}
            {logged} notice offerd: [OfferdCommands] stopped: everything is committed and the database is closed audit.events={number} duration.us={number}

            """)
        #expect(try pattern.matches(shown), "\(shown)")
    }
}
