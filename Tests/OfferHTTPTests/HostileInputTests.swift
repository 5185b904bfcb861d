import Foundation
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferHTTP

@Suite("Hostile input gets an answer and harms nobody (invariant 10)")
struct HostileInputTests {
    @Test(
        "a hostile JSON body is 400 with the place that is wrong",
        arguments: [
            (String(repeating: "[", count: 100_000), "malformedJson"),
            (String(repeating: "{\"customer\":", count: 20_000), "malformedJson"),
            ("", "malformedJson"), ("null", "wrongType"),
            ("{\"customer\":{\"customerId\":\"a\\u0000b\"}}", "invalidValue"),
            ("{\"customer\":{\"customerId\":\"a\u{0}b\"}}", "malformedJson"),
            ("{\"customer\":{},\"customer\":{}}", "duplicateMember"),
            ("{\"customer\":{\"customerId\":\"a\"},\"signals\":{\"n\":1e400}}", "wrongType"),
            (
                "{\"customer\":{\"customerId\":\"a\"},\"signals\":{\"n\":\(String(repeating: "9", count: 9_999))}}",
                "invalidValue"
            ),
            ("{\"customer\":{\"customerId\":\"a\"},\"signals\":{\"a-b\":1}}", "invalidValue"),
            ("{\"customer\":{\"customerId\":\"\(String(repeating: "a", count: 256))\"}}", "invalidLength"),
            ("{\"customer\":{}}", "missingMember"),
            ("{\"customer\":{\"customerId\":\"a\"},\"asof\":1}", "unknownMember"),
            ("{\"customer\":{\"customerId\":\"a\"},\"offerIds\":[]}", "invalidLength"),
            ("{\"customer\":{\"customerId\":\"a\"},\"offerIds\":[\"a\",\"a\"]}", "invalidValue"),
        ])
    func bodies(_ body: String, code: String) async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.ask(
                "POST", "/v1/decisions", token: try await service.token(.client), body: body)
            #expect(answer.status == 400, "\(answer.text)")
            #expect(answer.code == "invalid-request")
            #expect(answer.errors.first?["code"] as? String == code)
            #expect(answer.errors.first?["pointer"] is String)
        }
    }

    @Test(
        "an identifier has 1 to 255 characters of any script, none that controls, and is not like one that was removed",
        arguments: [
            (" ~", nil), (String(repeating: "a", count: 255), nil), (String(repeating: "é", count: 255), nil),
            ("hmac-sha25", nil), ("a hmac-sha256:", nil), (String(repeating: "é", count: 256), "invalidLength"),
            ("", "invalidLength"), ("a\u{7F}", "invalidValue"), ("a\u{85}", "invalidValue"),
            ("hmac-sha256:", "invalidValue"), ("hmac-sha256:é", "invalidValue"),
        ])
    func identifiers(_ text: String, code: String?) async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.ask(
                "POST", "/v1/decisions", token: try await service.token(.client),
                body: "{\"customer\":{\"customerId\":\"\(text)\"}}")
            #expect(answer.status == (code == nil ? 200 : 400), "\(answer.text)")
            #expect(answer.errors.first?["code"] as? String == code)
            #expect(answer.errors.first?["pointer"] as? String == (code == nil ? nil : "/customer/customerId"))
        }
    }

    @Test("a body that is not UTF-8 is 400, JSON and catalog alike")
    func invalidUTF8() async throws {
        try await ServiceFixture.run { service in
            let token = try await service.token(.admin)
            for (method, path, type) in [
                ("POST", "/v1/decisions", "application/json"), ("PUT", "/v1/catalog", "application/yaml"),
            ] {
                let answer = try await RawHTTP.send(
                    port: service.port, method, path,
                    headers: [("Authorization", "Bearer \(token)"), ("Content-Type", type), ("If-Match", "\"0\"")],
                    body: [0x7B, 0xFF, 0xFE, 0x7D])
                #expect(answer.status == 400)
                #expect(answer.code == "invalid-request")
            }
        }
    }

    @Test("64 signals are read, 65 and 201 JWS are refused with their number")
    func counts() async throws {
        try await ServiceFixture.run { service in
            let token = try await service.token(.client)
            func decide(_ count: Int) async throws -> RawAnswer {
                let signals = (0..<count).map { "\"s\($0)\":\($0)" }.joined(separator: ",")
                return try await service.ask(
                    "POST", "/v1/decisions", token: token,
                    body: "{\"customer\":{\"customerId\":\"c\"},\"signals\":{\(signals)}}")
            }
            #expect(try await decide(64).status == 200)
            #expect(try await decide(65).errors.first?["code"] as? String == "tooMany")
            let many = Array(repeating: "\"a.b.c\"", count: 201).joined(separator: ",")
            for body in [
                "{\"signedTransactions\":[\(many)]}",
                "{\"offerId\":\"a\",\"customer\":{\"customerId\":\"c\"},\"signedTransactions\":[\(many)]}",
            ] {
                let path = body.hasPrefix("{\"offerId\"") ? "/v1/issued-offers" : "/v1/transactions"
                let answer = try await service.ask("POST", path, token: token, body: body)
                #expect(answer.status == 400)
                #expect(answer.json["detail"] as? String == "the body: at most 200 JWS per request, but 201 were sent")
            }
        }
    }

    @Test("every wrong value of a request is named at once")
    func allAtOnce() async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.client),
                body: #"{"offerId":"","customer":{"customerId":"\n"},"formats":["v1","v1"],"signals":{"":1}}"#)
            #expect(
                answer.errors.map { $0["pointer"] as? String } == [
                    "/offerId", "/customer/customerId", "/formats", "/signals/",
                ])
        }
    }

    @Test(
        "bytes that are no HTTP request get a problem document too",
        arguments: [
            "NONSENSE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{0}\u{0}\u{0}\r\n\r\n",
            "POST /v1/decisions HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n",
            "POST /v1/decisions HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
            "GET /healthz HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 20_000) + "\r\n\r\n",
            "GET /" + String(repeating: "a", count: 100_000) + " HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /healthz HTTP/1.1\r\n"
                + (0..<200).map { "X-\($0): a\r\n" }.joined() + "\r\n",
        ])
    func noHTTP(_ text: String) async throws {
        try await ServiceFixture.run { service in
            let answer = try RawHTTP.parse(try await RawHTTP.exchange(port: service.port, Array(text.utf8)))
            #expect(answer.status == 400)
            #expect(answer.headers["content-type"] == "application/problem+json")
            #expect(answer.headers["content-length"] == String(answer.body.count))
            #expect(answer.code == "invalid-request")
            #expect(answer.headers["x-request-id"] == answer.json["requestId"] as? String)
            #expect(try await service.ask("GET", "/healthz").status == 200)
        }
    }

    @Test("chunks that are framed wrongly get an answer")
    func brokenChunks() async throws {
        try await ServiceFixture.run { service in
            let token = try await service.token(.client)
            let text =
                "POST /v1/decisions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n"
            let answer = try RawHTTP.parse(try await RawHTTP.exchange(port: service.port, Array(text.utf8)))
            #expect(answer.status == 400)
            #expect(answer.code == "invalid-request")
        }
    }

    @Test("random changes of a request never make the server fall over")
    func mutations() async throws {
        try await ServiceFixture.run { service in
            var random = SeededGenerator(seed: 404)
            let token = try await service.token(.client)
            let body = #"{"customer":{"customerId":"c"},"signals":{"n":1.5},"offerIds":["a"]}"#
            let sample = Array(
                ("POST /v1/decisions HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer \(token)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8)
            let bodyStart = sample.count - body.utf8.count
            for round in 0..<100 {
                var bytes = sample
                for _ in 0..<4 {
                    bytes[Int.random(in: bodyStart..<bytes.count, using: &random)] = .random(
                        in: 0...255, using: &random)
                }
                let answer = try RawHTTP.parse(try await RawHTTP.exchange(port: service.port, bytes))
                #expect([200, 400, 404].contains(answer.status), "seed 404, round \(round): \(answer.text)")
                #expect(!answer.body.isEmpty)
            }
        }
    }
}
