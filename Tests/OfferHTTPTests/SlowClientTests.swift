import Foundation
import OfferModel
import Testing

@testable import OfferHTTP

@Suite("Slow clients get an answer and hold nothing (invariant 10)")
struct SlowClientTests {
    /// Patience that is short in one respect and far longer than a test in every other.
    private static func limits(_ change: (inout HTTPTimeouts) -> Void) -> HTTPLimits {
        var limits = HTTPLimits.patient
        change(&limits.patience)
        return limits
    }

    private func check(_ answer: RawAnswer, _ detail: String) {
        #expect(answer.status == 400)
        #expect(answer.headers["content-type"] == "application/problem+json")
        #expect(answer.headers["content-length"] == String(answer.body.count))
        #expect(answer.headers["connection"] == "close")
        #expect(answer.headers["x-request-id"] == answer.json["requestId"] as? String)
        #expect(answer.code == "invalid-request")
        #expect(answer.json["detail"] as? String == detail)
    }

    /// Sends one byte after the other, and never the last, until an answer comes.
    private static func trickle(_ connection: RawConnection, _ byte: String) throws -> RawAnswer {
        var answer = [UInt8]()
        while answer.isEmpty {
            #expect(connection.send(byte) == 0)
            guard let some = try connection.read(withinMilliseconds: 5) else {
                throw RawHTTP.Broken(reason: "closed without an answer")
            }
            answer += some
        }
        return try RawHTTP.parse(answer + (try connection.readToEnd()))
    }

    private static func head(_ token: String, more: String) -> String {
        "POST /v1/decisions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
            + "Content-Type: application/json\r\n\(more)\r\n\r\n"
    }

    @Test("headers that stop half-way, or come byte by byte, are answered 400 and the connection is closed")
    func headers() async throws {
        try await ServiceFixture.run(limits: Self.limits { $0.headers = .milliseconds(60) }) { service in
            let detail = "the headers did not arrive within 60 ms"
            let bytes = try await RawConnection.use(port: service.port) { connection in
                connection.send("GET /healthz HTTP/1.1\r\nHos")
                return try connection.readToEnd()
            }
            #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
            let stopped = try RawHTTP.parse(bytes)
            check(stopped, detail)
            let trickled = try await RawConnection.use(port: service.port) { connection in
                connection.send("GET /healthz HTTP/1.1\r\nX-Slow: ")
                return try Self.trickle(connection, "x")
            }
            check(trickled, detail)
            let requestId = try #require(stopped.headers["x-request-id"])
            #expect(service.log.lines.contains { $0.hasPrefix("info answered") && $0.contains(requestId) })
        }
    }

    @Test("headers of a second request on the same connection are waited for no longer")
    func secondRequest() async throws {
        try await ServiceFixture.run(limits: Self.limits { $0.headers = .milliseconds(60) }) { service in
            let answers = try await RawConnection.use(port: service.port) { connection in
                connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                let first = try connection.read(until: #"{"status":"ok"}"#)
                connection.send("GET /healthz HT")
                return (first, try RawHTTP.parse(try connection.readToEnd()))
            }
            #expect(answers.0.hasPrefix("HTTP/1.1 200 OK\r\n"))
            check(answers.1, "the headers did not arrive within 60 ms")
        }
    }

    @Test("a body that stops half-way, or comes byte by byte, is answered 400 and the connection is closed")
    func body() async throws {
        try await ServiceFixture.run(limits: Self.limits { $0.body = .milliseconds(60) }) { service in
            let token = try await service.token(.client)
            let detail = "the body did not arrive within 60 ms"
            for more in ["Content-Length: 1000", "Transfer-Encoding: chunked"] {
                let stopped = try await RawConnection.use(port: service.port) { connection in
                    connection.send(Self.head(token, more: more) + (more.hasPrefix("C") ? "{" : "1\r\n{\r\n"))
                    return try RawHTTP.parse(try connection.readToEnd())
                }
                check(stopped, detail)
            }
            let trickled = try await RawConnection.use(port: service.port) { connection in
                connection.send(Self.head(token, more: "Content-Length: 200000"))
                return try Self.trickle(connection, " ")
            }
            check(trickled, detail)
        }
    }

    @Test("a body that nobody needs is not waited for longer either: the answer says what else is wrong")
    func unneededBody() async throws {
        try await ServiceFixture.run(limits: Self.limits { $0.body = .milliseconds(60) }) { service in
            let answer = try await RawConnection.use(port: service.port) { connection in
                connection.send(Self.head("nonsense", more: "Content-Length: 1000"))
                return try RawHTTP.parse(try connection.readToEnd())
            }
            #expect(answer.status == 401)
            #expect(answer.code == "unauthenticated")
        }
    }

    @Test("a body that is late does no harm to what was asked before on the connection")
    func pipelined() async throws {
        try await ServiceFixture.run(limits: Self.limits { $0.body = .milliseconds(60) }) { service in
            let token = try await service.token(.client)
            let bytes = try await RawConnection.use(port: service.port) { connection in
                connection.send(
                    "GET /openapi.yaml HTTP/1.1\r\nHost: a\r\n\r\n" + Self.head(token, more: "Content-Length: 9") + "{")
                return try connection.readToEnd()
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) } == ["200", "400"])
            #expect(text.hasSuffix(#""urn:offerd:problem:invalid-request"}"#))
        }
    }

    @Test("a connection without a request is closed: one that never spoke, and one that has its answer")
    func idle() async throws {
        try await ServiceFixture.run(limits: Self.limits { $0.idle = .milliseconds(500) }) { service in
            let silent = try await RawConnection.use(port: service.port) { try $0.readToEnd() }
            #expect(silent.isEmpty)
            let served = try await RawConnection.use(port: service.port) { connection in
                connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                return try RawHTTP.parse(try connection.readToEnd())
            }
            #expect(served.status == 200)
            #expect(served.text == #"{"status":"ok"}"#)
        }
    }

    @Test("a client that asks and asks and never reads loses its connection")
    func neverReads() async throws {
        try await ServiceFixture.run(limits: Self.limits { $0.answer = .milliseconds(100) }) { service in
            let failure = try await RawConnection.use(port: service.port) { connection in
                while true {
                    let failure = connection.send("GET /openapi.yaml HTTP/1.1\r\nHost: a\r\n\r\n")
                    if failure != 0 { return failure }
                }
            }
            #expect([ECONNRESET, EPIPE].contains(failure))
            #expect(try await service.ask("GET", "/healthz").status == 200)
        }
    }

    @Test("leave to send a body is given as soon as the headers are read")
    func expectContinue() async throws {
        try await ServiceFixture.run { service in
            let token = try await service.token(.client)
            let body = #"{"customer":{"customerId":"c"}}"#
            let answer = try await RawConnection.use(port: service.port) { connection in
                connection.send(
                    Self.head(
                        token, more: "Connection: close\r\nExpect: 100-continue\r\nContent-Length: \(body.utf8.count)"))
                #expect(try connection.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
                connection.send(body)
                return try RawHTTP.parse(try connection.readToEnd())
            }
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    @Test("no leave is given for a body that nobody would read: the answer comes at once, and the connection ends")
    func noLeave() async throws {
        try await ServiceFixture.run(limits: Self.limits { $0.body = .milliseconds(60) }) { service in
            for (token, status) in [(try await service.token(.client), 413), ("nonsense", 401)] {
                let answer = try await RawConnection.use(port: service.port) { connection in
                    connection.send(
                        Self.head(token, more: "Expect: 100-continue\r\nContent-Length: \(UnreadBodies.bound + 1)"))
                    return try RawHTTP.parse(try connection.readToEnd())
                }
                #expect(answer.status == status)
                #expect(answer.headers["connection"] == "close")
            }
        }
    }

    @Test("beyond the number of connections one more waits until another is closed")
    func connections() async throws {
        var limits = Self.limits { _ in }
        limits.connections = 1
        try await ServiceFixture.run(limits: limits) { service in
            let port = service.port
            try await RawConnection.use(port: port) { first in
                first.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try first.read(until: #"{"status":"ok"}"#)
                let second = try RawConnection(port: port)
                second.send("GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                for _ in 0..<20 {
                    first.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                    _ = try first.read(until: #"{"status":"ok"}"#)
                }
                first.close()
                #expect(try RawHTTP.parse(try second.readToEnd()).status == 200)
            }
            let routes = service.log.lines.filter { $0.hasPrefix("info answered") }
                .compactMap { $0.components(separatedBy: "http.route=").last?.split(separator: " ").first }
            #expect(routes == Array(repeating: "/healthz", count: 21) + ["/readyz"])
        }
    }

    @Test("while two hundred clients are slow, others are answered, and the service still stops")
    func manySlowOnes() async throws {
        try await ServiceFixture.run { service in
            let port = service.port
            try await RawConnection.use(port: port) { connection in
                let slow = try (0..<200).map { _ in try RawConnection(port: port) }
                for one in slow { one.send("POST /v1/transactions HTTP/1.1\r\nContent-Length: 10\r\nX-") }
                connection.send("GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                #expect(try RawHTTP.parse(try connection.readToEnd()).status == 200)
                withExtendedLifetime(slow) {}
            }
        }
    }
}
