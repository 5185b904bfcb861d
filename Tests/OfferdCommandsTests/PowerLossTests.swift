import AsyncHTTPClient
import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("The loss of power")
struct PowerLossTests {
    @Test(
        "before an answer's first byte is sent, the log is flushed after its last write, and its directory if the log is new (invariant 1)",
        .enabled(if: SystemCallTrace.isPossible, "`strace` is missing here, or may not trace"))
    func flushedBeforeReleased() async throws {
        let installation = try await Installation()
        let log = installation.directory.path("trace")
        let server = try await RunningServer.start(installation, under: SystemCallTrace.command(log: log))
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, server, client: client)
        let token = try installation.token(.client)
        let customer = "\"customer\":{\"originalTransactionId\":\"\(Installation.originalTransactionId(1))\"}"
        let bodies = [
            "{\"offerId\":\"comeback\",\(customer),\(try installation.lapsedCustomer(1))}",
            "{\"offerId\":\"comeback\",\"fresh\":true,\(customer)}",
            "{\"offerId\":\"comeback\",\"customer\":{\"originalTransactionId\":\"unknown\"}}",
        ]
        var statuses = [Int]()
        for body in bodies {
            statuses.append(
                try await server.ask("POST", "/v1/issued-offers", token: token, body: body, client: client).status)
        }
        #expect(statuses == [201, 201, 422])
        let notification = try #require(try installation.notifications(of: 2).first)
        let notified = try await server.ask(
            "POST", "/v1/app-store/com.example.pro/LocalTesting/notifications", token: token,
            body: #"{"signedPayload":"\#(notification)"}"#, client: client)
        #expect(notified.status == 200)
        try await client.shutdown()
        // The tracer hears no signals; once the server has ended it ends with the server's status.
        let running = SystemCallTrace(try String(contentsOfFile: log, encoding: .utf8))
        #expect(kill(try #require(running.process), SIGTERM) == 0)
        #expect(await server.stop() == 0)

        let trace = SystemCallTrace(try String(contentsOfFile: log, encoding: .utf8))
        let delivery = try #require(trace.received("POST /v1/app-store/").first)
        let taken = try #require(trace.sent("HTTP/1.1 200").first { $0.begin > delivery.begin })
        let requests = trace.received("POST /v1/issued-offers") + [delivery]
        let answers = trace.sent("HTTP/1.1 201") + trace.sent("HTTP/1.1 422") + [taken]
        #expect(requests.count == 4 && answers.count == 4)
        for (request, answer) in zip(requests, answers) {
            let writes = trace.calls.filter {
                $0.isWrite && $0.file.hasSuffix("/offers.sqlite-wal") && $0.begin > request.begin
                    && $0.begin < answer.begin
            }
            let last = try #require(writes.last, "nothing was written for \(request.text)")
            let isFlushed = trace.isFlushed(last.file, after: last, before: answer)
            #expect(isFlushed, "\(answer.text)")
        }
        let creations = trace.calls.filter {
            $0.name == "openat" && $0.text.contains("/offers.sqlite-wal\"") && $0.text.contains("O_CREAT")
        }
        let creation = try #require(creations.first)
        let directory = installation.directory.url.resolvingSymlinksInPath().path
        let firstAnswer = try #require(answers.first)
        let isDirectoryFlushed = trace.isFlushed(Substring(directory), after: creation, before: firstAnswer)
        #expect(isDirectoryFlushed)
    }

    @Test(
        "a signature that a killed process has left in an unflushed log is flushed before the next process listens (invariant 1)",
        .enabled(if: SystemCallTrace.isPossible, "`strace` is missing here, or may not trace"))
    func unflushedLog() async throws {
        let installation = try await Installation()
        let first = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, first, client: client)
        try await client.shutdown()
        await first.kill()
        let log = installation.directory.path("trace")
        let server = try await RunningServer.start(installation, under: SystemCallTrace.command(log: log))
        let running = SystemCallTrace(try String(contentsOfFile: log, encoding: .utf8))
        #expect(kill(try #require(running.process), SIGTERM) == 0)
        #expect(await server.stop() == 0)

        let trace = SystemCallTrace(try String(contentsOfFile: log, encoding: .utf8))
        let listening = try #require(trace.calls.first { $0.isWrite && $0.text.contains("\"listening on ") })
        let reading = try #require(
            trace.calls.first { $0.name == "openat" && $0.text.contains("/offers.sqlite-wal\"") })
        let isFlushed = trace.calls.contains { call in
            call.isFlush && call.file.hasSuffix("/offers.sqlite-wal") && call.begin > reading.end
                && call.end < listening.begin
        }
        #expect(isFlushed, "what could be read was not flushed before it could be answered")
    }

    @Test(
        "the trace tells a flush that is missing, failed, too early, not over or of another file from one that holds",
        arguments: [
            ("fdatasync(9</d/a-wal>) = 0", true), ("getpid() = 1", false), ("fdatasync(9</d/a-wal>) = -1 EIO", false),
            ("fdatasync(9</d/a>) = 0", false), ("fdatasync(9</d/a-wal> <unfinished ...>", false),
        ])
    func judge(_ call: String, _ isFlushed: Bool) throws {
        let trace = SystemCallTrace(
            """
            7 fdatasync(9</d/a-wal>) = 0
            7 pwrite64(9</d/a-wal>, "x" <unfinished ...>
            8 read(3<socket:[1]>, "POST /", 6) = 6
            7 <... pwrite64 resumed>, 1, 0) = 1
            7 \(call)
            8 write(3<socket:[1]>, "HTTP/1.1 201 Created", 20) = 20
            7 fdatasync(9</d/a-wal>) = 0
            """)
        let write = try #require(trace.calls.first { $0.isWrite })
        let answer = try #require(trace.sent("HTTP/1.1 201").first)
        #expect(write.end == 3 && answer.begin == 5 && trace.process == 7)
        #expect(trace.isFlushed(write.file, after: write, before: answer) == isFlushed)
    }
}
