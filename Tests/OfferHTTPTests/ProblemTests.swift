import Foundation
import HTTPTypes
import OfferAPI
import OfferApplication
import OfferModel
import Testing

@testable import OfferHTTP

@Suite("Every failure is a problem document (invariant 10)")
struct ProblemTests {
    private static let uuid = "00000000-0000-4000-8000-000000000000"

    private func check(_ answer: RawAnswer, _ status: Int, _ code: String, _ instance: String) throws {
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.headers["content-type"] == "application/problem+json")
        #expect(answer.code == code)
        #expect(answer.json["type"] as? String == "urn:offerd:problem:\(code)")
        #expect(answer.json["status"] as? Int == status)
        #expect(answer.json["instance"] as? String == instance)
        #expect((answer.json["title"] as? String)?.isEmpty == false)
        #expect((answer.json["detail"] as? String)?.isEmpty == false)
        let requestId = try #require(answer.headers["x-request-id"])
        #expect(LowercaseUUID(requestId)?.description == requestId)
        #expect(answer.json["requestId"] as? String == requestId)
        #expect(answer.headers["server"] == nil)
    }

    @Test("an unknown path is 404, a known path with another method 405 with Allow")
    func unmatched() async throws {
        try await ServiceFixture.run { service in
            try check(try await service.ask("GET", "/"), 404, "not-found", "/")
            try check(try await service.ask("GET", "/v1/issued-offers/a/b"), 404, "not-found", "/v1/issued-offers/a/b")
            try check(try await service.ask("POST", "/v2/decisions", body: "{}"), 404, "not-found", "/v2/decisions")
            for (method, path, allow) in [
                ("DELETE", "/v1/catalog", "GET, PUT, HEAD, OPTIONS"), ("GET", "/v1/transactions", "POST, OPTIONS"),
                ("PATCH", "/v1/issued-offers", "POST, GET, HEAD, OPTIONS"), ("POST", "/healthz", "GET, HEAD, OPTIONS"),
                ("TRACE", "/v1/issued-offers/\(Self.uuid)", "GET, HEAD, OPTIONS"),
            ] {
                let answer = try await service.ask(method, path)
                try check(answer, 405, "method-not-allowed", path)
                #expect(answer.headers["allow"] == allow)
            }
        }
    }

    @Test("OPTIONS answers 204 with Allow, and 404 where there is nothing")
    func options() async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.ask("OPTIONS", "/v1/catalog")
            #expect(answer.status == 204)
            #expect(answer.headers["allow"] == "GET, PUT, HEAD, OPTIONS")
            #expect(answer.headers["x-request-id"]?.count == 36)
            let all = try await service.ask("OPTIONS", "*")
            #expect(all.status == 204)
            #expect(all.headers["allow"] == "POST, GET, PUT, DELETE, HEAD, OPTIONS")
            try check(try await service.ask("OPTIONS", "/nothing"), 404, "not-found", "/nothing")
        }
    }

    @Test("HEAD answers as GET does, with the length and without the body, failures included")
    func head() async throws {
        try await ServiceFixture.run { service in
            for (path, status) in [
                ("/healthz", 200), ("/openapi.yaml", 200), ("/docs", 200), ("/v1/customers", 401), ("/no", 404),
            ] {
                let get = try await service.ask("GET", path)
                let head = try await service.ask("HEAD", path)
                #expect(head.status == status)
                #expect(head.body.isEmpty)
                #expect(get.body.count > 0)
                #expect(head.headers["content-length"] == String(get.body.count))
                #expect(head.headers["content-type"] == get.headers["content-type"])
            }
            #expect(try await service.ask("HEAD", "/v1/transactions").status == 405)
        }
    }

    @Test("a body that is not what the path reads is 415")
    func mediaTypes() async throws {
        try await ServiceFixture.run { service in
            let client = try await service.token(.client)
            let marketing = try await service.token(.marketing)
            for type in ["text/plain", "application/yaml", "application/json; charset=latin1", "", ";"] {
                let answer = try await service.ask(
                    "POST", "/v1/decisions", token: client, body: "{}", headers: [("Content-Type", type)])
                try check(answer, 415, "unsupported-media-type", "/v1/decisions")
                #expect(answer.json["hint"] as? String == "send `Content-Type: application/json`")
            }
            let bare = try await RawHTTP.send(
                port: service.port, "POST", "/v1/transactions", headers: [("Authorization", "Bearer \(client)")],
                body: Array("{}".utf8))
            try check(bare, 415, "unsupported-media-type", "/v1/transactions")
            let catalog = try await service.ask(
                "PUT", "/v1/catalog", token: marketing, body: "x", headers: [("Content-Type", "text/plain")])
            try check(catalog, 415, "unsupported-media-type", "/v1/catalog")
            let good = try await service.ask(
                "POST", "/v1/decisions", token: client, body: #"{"customer":{"customerId":"c"}}"#,
                headers: [("Content-Type", "Application/JSON; charset=\"UTF-8\"")])
            #expect(good.status == 200)
        }
    }

    @Test("a body beyond the limit is 413, whether its length is announced or not")
    func tooLarge() async throws {
        try await ServiceFixture.run { service in
            let client = try await service.token(.client)
            let marketing = try await service.token(.marketing)
            let text = String(repeating: " ", count: 3 * 1_024 * 1_024)
            for (method, path, token) in [
                ("POST", "/v1/issued-offers", client), ("POST", "/v1/transactions", client),
                ("POST", "/v1/decisions", client), ("PUT", "/v1/catalog", marketing),
            ] {
                let answer = try await service.ask(
                    method, path, token: token, body: text,
                    headers: [("Content-Type", "application/json"), ("If-Match", "\"0\"")])
                try check(answer, 413, "too-large", path)
            }
            let small = try await service.ask(
                "POST", "/v1/decisions", token: client, body: String(text.prefix(256 * 1_024 + 1)))
            try check(small, 413, "too-large", "/v1/decisions")
            let head =
                "POST /v1/decisions HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer \(client)\r\n"
                + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            let chunk = "10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n"
            let chunked = try await RawHTTP.exchange(
                port: service.port, Array((head + String(repeating: chunk, count: 8) + "0\r\n\r\n").utf8))
            try check(try RawHTTP.parse(chunked), 413, "too-large", "/v1/decisions")
        }
    }

    @Test("a client that writes its whole body before it reads still sees why it is refused")
    func unreadBodies() async throws {
        try await ServiceFixture.run { service in
            let text = String(repeating: "x", count: 8 * 1_024 * 1_024)
            try check(try await service.ask("POST", "/nowhere", body: text), 404, "not-found", "/nowhere")
            try check(
                try await service.ask("POST", "/v1/transactions", body: text), 401, "unauthenticated",
                "/v1/transactions")
            try check(
                try await service.ask("DELETE", "/v1/catalog", body: text), 405, "method-not-allowed", "/v1/catalog")
        }
    }

    @Test("a refusal goes out before the body comes, and the connection takes another request after the body")
    func refusedBeforeBody() async throws {
        try await ServiceFixture.run { service in
            try await RawConnection.use(port: service.port) { connection in
                connection.send("POST /v1/transactions HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
                // `type` is the last member of a problem.
                let refusal = try connection.read(until: #""urn:offerd:problem:unauthenticated"}"#)
                #expect(refusal.hasPrefix("HTTP/1.1 401 "))
                connection.send("hello" + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try connection.read(until: #"{"status":"ok"}"#)
            }
        }
    }

    @Test("an id that nobody issued, or that is no UUID, is 404")
    func unknownIssuedOffer() async throws {
        try await ServiceFixture.run { service in
            let token = try await service.token(.client)
            for id in [Self.uuid, "x", "%00", String(repeating: "9", count: 5_000)] {
                let path = "/v1/issued-offers/\(id)"
                let answer = try await service.ask("GET", path, token: token)
                try check(answer, 404, "unknown-issued-offer", String(path.prefix(1_024)))
            }
        }
    }

    @Test("an unknown customer is 404")
    func unknownCustomer() async throws {
        try await ServiceFixture.run { service in
            let token = try await service.token(.support)
            let answer = try await service.ask("GET", "/v1/customers?customerId=nobody", token: token)
            try check(answer, 404, "unknown-customer", "/v1/customers")
        }
    }

    @Test(
        "a query that is not right is 400 and names the parameter",
        arguments: [
            ("/v1/customers", "query", "missingMember"),
            ("/v1/customers?customerid=a", "query.customerid", "unknownParameter"),
            ("/v1/customers?customerId=a&customerId=b", "query.customerId", "duplicateParameter"),
            ("/v1/customers?customerId=", "query.customerId", "invalidLength"),
            ("/v1/customers?customerId=%00", "query.customerId", "invalidValue"),
            ("/v1/customers?customerId=%ff", "query.", "invalidValue"),
            ("/v1/customers?customerId=%4", "query.", "invalidValue"),
            ("/v1/customers?appAccountToken=x", "query.appAccountToken", "invalidValue"),
            ("/v1/issued-offers?limit=0", "query.limit", "invalidValue"),
            ("/v1/issued-offers?limit=201", "query.limit", "invalidValue"),
            ("/v1/issued-offers?limit=-1", "query.limit", "invalidValue"),
            ("/v1/issued-offers?limit=99999999999999999999", "query.limit", "invalidValue"),
            ("/v1/issued-offers?limit=1e2", "query.limit", "invalidValue"),
            ("/v1/issued-offers/00000000-0000-4000-8000-000000000000?x=1", "query.x", "unknownParameter"),
            ("/v1/catalog?x", "query.x", "unknownParameter"),
            ("/v1/catalog?" + String(repeating: "x&", count: 1_001), "query", "tooMany"),
        ])
    func query(_ target: String, path: String, code: String) async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.ask("GET", target, token: try await service.token(.admin))
            #expect(answer.status == 400)
            #expect(answer.code == "invalid-request")
            #expect(answer.errors.map { $0["path"] as? String } == [path])
            #expect(answer.errors.map { $0["code"] as? String } == [code])
        }
    }

    @Test("a cursor that is none is 400")
    func cursor() async throws {
        try await ServiceFixture.run { service in
            let token = try await service.token(.support)
            for cursor in ["x", "-1", "9999999999999999999999"] {
                let answer = try await service.ask("GET", "/v1/issued-offers?cursor=\(cursor)", token: token)
                try check(answer, 400, "invalid-request", "/v1/issued-offers")
            }
        }
    }

    @Test(
        "every 429 and 503 says when to ask again, and no other problem does",
        arguments: ProblemCode.allCases)
    func retry(_ code: ProblemCode) {
        let expected = [429, 503].contains(code.status) ? "1" : nil
        #expect(Problem(code, "no", hint: "later").headers[.retryAfter] == expected)
        #expect(Problem(code, "no").retry(after: 7).headers[.retryAfter] == "7")
    }

    private static let refusals: [(RequestError, Int, String)] = [
        (.simulationsWaiting, 503, "2"), (.busy, 503, "1"), (.notReady(detail: "no", hint: "later"), 503, "5"),
        (.tooManyStrangers(secondsToWait: 4), 503, "4"),
        (.grantLimitReached(perDay: 20, resets: Instant(milliseconds: 86_400_000), secondsToWait: 60), 429, "60"),
        (.grantLimitReached(perDay: 0, resets: Instant(milliseconds: 86_400_000), secondsToWait: 60), 429, "60"),
    ]

    @Test("a refusal that passes says when", arguments: refusals)
    func retry(_ error: RequestError, _ status: Int, _ seconds: String) throws {
        let problem = try #require(Problem(error))
        #expect(problem.document.status == status && problem.headers[.retryAfter] == seconds, "\(problem)")
    }

    @Test("an app that keys.yaml does not have is 503 with Retry-After")
    func notReady() async throws {
        try await ServiceFixture.run { service in
            let stranger = Scope(bundleId: "com.example.stranger", environment: .production)
            let token = try await service.token(.client, scope: stranger)
            let answer = try await service.ask(
                "POST", "/v1/decisions", token: token, body: #"{"customer":{"customerId":"c"}}"#)
            try check(answer, 503, "not-ready", "/v1/decisions")
            #expect(answer.headers["retry-after"] == "5")
        }
    }

    @Test("what nobody foresaw is an opaque 500, and loud in the log under the same request id")
    func internalError() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let token = try await service.token(.client)
            let issued = try await service.ask(
                "POST", "/v1/issued-offers", token: token,
                body: service.issueBody("comeback", try service.lapsedCustomer("100")))
            let id = try #require(issued.json["issuedOfferId"] as? String, "\(issued.text)")
            try service.sql("UPDATE issued_offer SET decision_id = printf('%036d', 7)")
            let answer = try await service.ask("GET", "/v1/issued-offers/\(id)", token: token)
            try check(answer, 500, "internal", "/v1/issued-offers/\(id)")
            #expect(!answer.text.contains("column"))
            let requestId = try #require(answer.headers["x-request-id"])
            let line = try #require(service.log.lines.first { $0.hasPrefix("error") })
            #expect(line.contains("request.id=\(requestId)"))
            #expect(line.contains("does not hold a valid"))
        }
    }

    @Test("a database that cannot be used is 503 with Retry-After, and the answer shows nothing of it")
    func brokenDatabase() async throws {
        try await ServiceFixture.run { service in
            let token = try await service.token(.support)
            try service.sql("ALTER TABLE issued_offer RENAME TO gone")
            let answer = try await service.ask("GET", "/v1/issued-offers", token: token)
            try check(answer, 503, "not-ready", "/v1/issued-offers")
            #expect(answer.headers["retry-after"] == "5")
            #expect(!answer.text.contains("issued_offer"))
            #expect(service.log.lines.contains { $0.hasPrefix("error") && $0.contains("issued_offer") })
            for _ in 0..<3 { #expect(try await service.ask("GET", "/v1/issued-offers", token: token).status == 503) }
            #expect(service.log.lines.count { $0.hasPrefix("error") } == 1, "the cause is logged once a minute")
        }
    }
}
