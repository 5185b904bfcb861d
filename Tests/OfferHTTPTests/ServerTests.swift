import Foundation
import OfferModel
import ServiceLifecycle
import Testing

@testable import OfferHTTP

@Suite("The server")
struct ServerTests {
    @Test("healthz, readyz and openapi.yaml need no key")
    func open() async throws {
        try await ServiceFixture.run { service in
            for path in ["/healthz", "/readyz"] {
                let answer = try await service.ask("GET", path)
                #expect(answer.status == 200)
                #expect(answer.text == #"{"status":"ok"}"#)
            }
            let description = try await service.ask("GET", "/openapi.yaml")
            #expect(description.headers["content-type"] == "application/yaml")
            #expect(description.text.hasPrefix("openapi: 3.1.0\n"))
        }
    }

    @Test("every answer has a request id of its own, and a client's is not taken over")
    func requestIds() async throws {
        try await ServiceFixture.run { service in
            var seen = Set<String>()
            for _ in 0..<5 {
                let answer = try await service.ask(
                    "GET", "/healthz", headers: [("X-Request-Id", "00000000-0000-4000-8000-000000000000")])
                seen.insert(try #require(answer.headers["x-request-id"]))
            }
            #expect(seen.count == 5)
            #expect(seen.allSatisfy { LowercaseUUID($0)?.description == $0 })
            #expect(!seen.contains("00000000-0000-4000-8000-000000000000"))
        }
    }

    @Test("every answer to a caller with a key names the key's app and environment, a refusal too")
    func scopes() async throws {
        try await ServiceFixture.run { service in
            for (scope, name) in [
                (ServiceFixture.scope, "com.example.pro/LocalTesting"),
                (ServiceFixture.otherEnvironment, "com.example.pro/Sandbox"),
            ] {
                let token = try await service.token(.client, scope: scope)
                for path in ["/v1/offers", "/v1/issued-offers/nothing"] {
                    let answer = try await service.ask("GET", path, token: token)
                    #expect(answer.headers["offerd-scope"] == name, "\(path): \(answer.status)")
                }
            }
            #expect(try await service.ask("GET", "/v1/offers", token: "nonsense").headers["offerd-scope"] == nil)
            #expect(try await service.ask("GET", "/healthz").headers["offerd-scope"] == nil)
        }
    }

    @Test("the log has one line a request and never a token, a query, a body or an identifier (invariant 9)")
    func accessLog() async throws {
        try await ServiceFixture.run { service in
            let token = try await service.token(.admin)
            let answer = try await service.ask("GET", "/v1/customers?customerId=c0nfidential", token: token)
            _ = try await service.ask(
                "POST", "/v1/decisions", token: token, body: #"{"customer":{"customerId":"c0nfidential"}}"#)
            _ = try await service.ask("GET", "/v1/issued-offers/c0nfidential", token: token)
            _ = try await service.ask("GET", "/c0nfidential", token: token)
            let lines = service.log.lines.filter { $0.hasPrefix("info answered") }
            #expect(lines.count == 4)
            let line = try #require(lines.first)
            let requestId = try #require(answer.headers["x-request-id"])
            #expect(line.contains("http.method=GET http.route=/v1/customers http.status=404"))
            #expect(line.contains("request.id=\(requestId)"))
            #expect(line.contains("duration.us="))
            let secret = try #require(token.split(separator: "_").last)
            for line in service.log.lines {
                #expect(!line.contains("c0nfidential") && !line.contains(secret), "\(line)")
            }
        }
    }

    @Test("a connection serves one request after another")
    func keepAlive() async throws {
        try await ServiceFixture.run { service in
            let open = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
            let missing = "POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
            let last = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            let bytes = try await RawHTTP.exchange(port: service.port, Array((open + missing + last).utf8))
            let text = String(decoding: bytes, as: UTF8.self)
            let statuses = text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
            #expect(statuses == ["200", "404", "200"])
        }
    }

    @Test("told to stop, it answers what it has begun and ends")
    func stop() async throws {
        try await ServiceFixture.run { service in
            let token = try await service.token(.client)
            async let answer = service.ask(
                "POST", "/v1/decisions", token: token, body: #"{"customer":{"customerId":"c"}}"#)
            #expect(try await answer.status == 200)
            await service.services.triggerGracefulShutdown()
        }
    }
}
