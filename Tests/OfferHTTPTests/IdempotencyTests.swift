import Foundation
import LocalAppStore
import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import OpenSSLCrypto
import SQLiteStore
import Testing

@Suite("Idempotency-Key")
struct IdempotencyTests {
    private func order(
        _ service: ServiceFixture, _ body: String, key: String, token: String
    ) async throws -> RawAnswer {
        try await service.ask(
            "POST", "/v1/issued-offers", token: token, body: body, headers: [("Idempotency-Key", key)])
    }

    private func atOnce(
        _ service: ServiceFixture, _ body: String, key: String, token: String
    ) async throws -> [RawAnswer] {
        try await withThrowingTaskGroup(of: RawAnswer.self) { group in
            for _ in 0..<50 { group.addTask { try await order(service, body, key: key, token: token) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(
        "50 equal requests at once under one key give one issued offer, one signing and 50 equal answers (invariant 2)")
    func signatures() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let token = try await service.token(.client)
            let body = service.issueBody("comeback", try service.lapsedCustomer("100"), more: #","fresh":true"#)
            let answers = try await atOnce(service, body, key: "once", token: token)
            #expect(answers.count == 50)
            #expect(Set(answers.map(\.body)).count == 1, "\(Set(answers.map(\.text)))")
            #expect(Set(answers.map(\.status)) == [201])
            #expect(Set(answers.map { $0.headers["content-type"] }) == ["application/json"])
            let id = try #require(answers.first?.json["issuedOfferId"] as? String)
            #expect(Set(answers.map { $0.headers["location"] }) == ["/v1/issued-offers/\(id)"])
            #expect(answers.count { $0.headers["idempotent-replayed"] == "true" } == 49)
            #expect(answers.count { $0.headers["idempotent-replayed"] == nil } == 1)
            #expect(Set(answers.map { $0.headers["x-request-id"] }).count == 50)
            let rows = try service.rows("SELECT issued_offer_id, signing FROM signature")
            #expect(rows == [[id, "1"]])
        }
    }

    @Test("a refusal is given again byte for byte, to 50 at once and whatever has changed since")
    func refusals() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let marketing = try await service.token(.marketing)
            let token = try await service.token(.client)
            let body = service.issueBody("comeback", try service.lapsedCustomer("110"))
            _ = try await service.ask("POST", "/v1/offers/comeback/pause", token: marketing)
            let answers = try await atOnce(service, body, key: "no", token: token)
            let first = try #require(answers.first)
            #expect(first.status == 403, "\(first.text)")
            #expect(first.code == "not-eligible")
            #expect(first.json["instance"] as? String == "/v1/issued-offers")
            #expect(Set(answers.map(\.body)).count == 1)
            #expect(try service.rows("SELECT count(*) FROM decision") == [["1"]])
            let original = try #require(answers.first { $0.headers["idempotent-replayed"] == nil })
            #expect(original.headers["x-request-id"] == first.json["requestId"] as? String)
            _ = try await service.ask("POST", "/v1/offers/comeback/resume", token: marketing)
            let again = try await order(service, body, key: "no", token: token)
            #expect(again.status == 403)
            #expect(again.body == first.body)
            #expect(again.headers["content-type"] == "application/problem+json")
            #expect(again.headers["x-request-id"] != first.json["requestId"] as? String, "a request of its own")
            #expect(try await order(service, body, key: "yes", token: token).status == 201)
        }
    }

    @Test("an undetermined response is stored too, and the missing data need a new key")
    func undetermined() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let token = try await service.token(.client)
            let unknown = #"{"offerId":"comeback","customer":{"customerId":"stranger"}}"#
            let first = try await order(service, unknown, key: "k", token: token)
            #expect(first.status == 422, "\(first.text)")
            #expect(first.code == "undetermined")
            #expect(try await order(service, unknown, key: "k", token: token).body == first.body)
            let more = service.issueBody("comeback", try service.lapsedCustomer("115"))
            #expect(try await order(service, more, key: "k", token: token).code == "idempotency-conflict")
        }
    }

    @Test("stored signatures under a key are answered with 200, and so again")
    func storedSignatures() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let token = try await service.token(.client)
            let body = service.issueBody("comeback", try service.lapsedCustomer("120"))
            #expect(try await order(service, body, key: "a", token: token).status == 201)
            let second = try await order(service, body, key: "b", token: token)
            #expect(second.status == 200)
            #expect(second.headers["idempotent-replayed"] == nil)
            let third = try await order(service, body, key: "b", token: token)
            #expect(third.status == 200)
            #expect(third.body == second.body)
            #expect(third.headers["idempotent-replayed"] == "true")
            #expect(try await order(service, body, key: "a", token: token).status == 201)
        }
    }

    @Test("another body under the key is 409, even if it only has one more space; another API key's keys are its own")
    func conflict() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let token = try await service.token(.client)
            let body = service.issueBody("comeback", try service.lapsedCustomer("130"))
            #expect(try await order(service, body, key: "k", token: token).status == 201)
            let other = try await order(service, body + " ", key: "k", token: token)
            #expect(other.status == 409, "\(other.text)")
            #expect(other.code == "idempotency-conflict")
            #expect(other.json["instance"] as? String == "/v1/issued-offers")
            #expect(other.headers["idempotent-replayed"] == nil)
            let stranger = try await order(service, body + " ", key: "k", token: try await service.token(.client))
            #expect(stranger.status == 200)
        }
    }

    @Test("a response that is not final is not stored: 401, 400, 404, 415 and refused data leave the key free")
    func notKept() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let token = try await service.token(.client)
            let signed = try service.lapsedCustomer("140")
            for (body, token, status) in [
                (service.issueBody("comeback", signed), "offerd_client_test_0_0", 401),
                (#"{"offerId":"comeback"}"#, token, 400), (service.issueBody("comebak", signed), token, 404),
                (service.issueBody("either", signed), token, 400),
                (#"{"offerId":"comeback","customer":{"customerId":"x"},"signedTransactions":["a.b"]}"#, token, 422),
            ] {
                let answer = try await order(service, body, key: "k", token: token)
                #expect(answer.status == status, "\(answer.text)")
            }
            let text = try await service.ask(
                "POST", "/v1/issued-offers", token: token, body: "{}",
                headers: [("Idempotency-Key", "k"), ("Content-Type", "text/plain")])
            #expect(text.status == 415)
            let granted = try await order(service, service.issueBody("comeback", signed), key: "k", token: token)
            #expect(granted.status == 201, "\(granted.text)")
            #expect(granted.headers["idempotent-replayed"] == nil)
        }
    }

    @Test("an answer is given again for 24 hours; then the key may be used anew, for another body too")
    func life() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let token = try await service.token(.client)
            let body = service.issueBody("comeback", try service.lapsedCustomer("150"))
            let first = try await order(service, body, key: "k", token: token)
            service.clock.advance(milliseconds: 24 * 3_600_000 - 1)
            #expect(try await order(service, body, key: "k", token: token).body == first.body)
            service.clock.advance(milliseconds: 1)
            let later = try await order(service, body + " ", key: "k", token: token)
            #expect(later.status == 201, "\(later.text)")
            #expect(later.headers["idempotent-replayed"] == nil)
            #expect(later.body != first.body)
        }
    }

    @Test("an answer given again needs neither signed data nor signing key, and nothing in memory")
    func nothingButTheRow() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let token = try await service.token(.client)
            let body = service.issueBody("comeback", try service.lapsedCustomer("160"))
            let first = try await order(service, body, key: "k", token: token)
            let database = try SQLiteDatabase(path: service.directory.path("offers.sqlite"))
            let bare = UseCases(
                registry: AppRegistry([]), database: database, digest: OpenSSLDigest(), random: OpenSSLRandom(),
                clock: { ServiceFixture.start })
            let caller = Caller(
                apiKeyId: String(token.split(separator: "_")[3]), scope: ServiceFixture.scope, role: .client)
            let replayed = try await bare.issuing.issue(
                IssueRequest {
                    ($0.offerId, $0.customer) = ("comeback", CustomerIdentifiers(customerId: "somebody"))
                }, caller: caller,
                as: IdempotentRequest(key: "k", route: "POST /v1/issued-offers", body: Array(body.utf8)),
                write: { _ in throw RequestError.busy })
            #expect(replayed.body == first.body)
            #expect(replayed.status == 201)
            #expect(replayed.location == first.headers["location"])
            #expect(replayed.isReplayed)
            try database.close()
        }
    }

    @Test("if the answer cannot be written, nothing is recorded and nothing released (invariant 1)")
    func unwritable() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let token = try await service.token(.client)
            let signed = try service.lapsedCustomer("170")
            let caller = Caller(
                apiKeyId: String(token.split(separator: "_")[3]), scope: ServiceFixture.scope, role: .client)
            await #expect(throws: RequestError.self) {
                try await service.useCases.issuing.issue(
                    IssueRequest {
                        ($0.offerId, $0.customer) = ("comeback", CustomerIdentifiers(customerId: "somebody"))
                        $0.delivery.signedTransactions = signed.signedTransactions
                        $0.delivery.signedRenewalInfo = signed.signedRenewalInfo
                    },
                    caller: caller, as: IdempotentRequest(key: "k", route: "r", body: []),
                    write: { _ in throw RequestError.busy })
            }
            for table in ["issued_offer", "signature", "decision", "kept_answer"] {
                #expect(try service.rows("SELECT count(*) FROM \(table)") == [["0"]], "\(table)")
            }
        }
    }

    @Test(
        "a key that is empty, too long, given twice or not visible ASCII is 400",
        arguments: [[""], [String(repeating: "k", count: 256)], ["a", "b"], ["a b"], ["é"]])
    func malformed(_ keys: [String]) async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.client), body: "{}",
                headers: keys.map { ("Idempotency-Key", $0) })
            #expect(answer.status == 400)
            #expect(answer.errors.map { $0["path"] as? String } == ["header.Idempotency-Key"])
            #expect(answer.errors.map { $0["code"] as? String } == ["invalidHeader"])
        }
    }

    @Test("a key of 255 visible characters is taken, in the case it is written")
    func longest() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let token = try await service.token(.client)
            let body = service.issueBody("comeback", try service.lapsedCustomer("180"))
            let key = "!~" + String(repeating: "k", count: 253)
            #expect(try await order(service, body, key: key, token: token).status == 201)
            #expect(try await order(service, body, key: key, token: token).status == 201)
            #expect(try await order(service, body, key: key.uppercased(), token: token).status == 200)
        }
    }
}
