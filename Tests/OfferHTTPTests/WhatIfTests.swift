import Foundation
import LocalAppStore
import OfferModel
import OfferTestSupport
import Testing

@Suite("Dry-runs at another instant and by another catalog over HTTP")
struct WhatIfTests {
    @Test("as of an earlier instant the purchases, voids, pauses and the catalog of then hold (invariant 4)")
    func asOf() async throws {
        try await ServiceFixture.run { service in
            let (client, support) = (try await service.token(.client), try await service.token(.support))
            let marketing = try await service.token(.marketing)
            var instants: [String: Int64] = [:]
            func note(_ name: String) {
                instants[name] = service.clock.now.milliseconds
                service.clock.advance(milliseconds: 1_000)
            }
            note("nothing")
            try await service.applyCatalog()
            note("applied")
            let signed = try service.lapsedCustomer("200")
            let body = service.issueBody("comeback", signed)
            let issued = try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
            #expect(issued.status == 201, "\(issued.text)")
            note("issued")
            let issuedOffer = try #require(issued.json["issuedOfferId"] as? String)
            _ = try await service.ask(
                "POST", "/v1/issued-offers/\(issuedOffer)/void", token: support, body: #"{"reason":"x"}"#)
            note("voided")
            _ = try await service.ask("POST", "/v1/offers/comeback/pause", token: marketing)
            note("paused")
            _ = try await service.ask("POST", "/v1/offers/comeback/resume", token: marketing)
            note("resumed")
            let renamed = try await service.ask(
                "PUT", "/v1/catalog", token: marketing,
                body: TestCatalog.yaml.replacingOccurrences(of: "count: 1, per", with: "count: 5, per"),
                headers: [("Content-Type", "application/yaml"), ("If-Match", "\"1\"")])
            #expect(renamed.status == 200, "\(renamed.text)")
            note("loosened")
            let before = try service.databaseText()
            for (name, violated) in [
                ("applied", ["platform.promotional.everSubscribed"]), ("issued", []), ("voided", ["limit.customer"]),
                ("paused", ["catalog.paused", "limit.customer"]), ("resumed", ["limit.customer"]), ("loosened", []),
            ] as [(String, [String])] {
                let asOf = try #require(instants[name])
                let asked = #"{"customer":{"originalTransactionId":"200"},"offerIds":["comeback"],"asOf":\#(asOf)}"#
                let answer = try await service.ask("POST", "/v1/decisions", token: support, body: asked)
                if name == "applied" {
                    #expect(answer.outcomes == ["comeback undetermined"], "\(answer.text)")
                } else {
                    #expect(answer.violated == violated, "\(name): \(answer.text)")
                }
            }
            let none = try #require(instants["nothing"])
            let empty = try await service.ask(
                "POST", "/v1/decisions", token: support,
                body: #"{"customer":{"originalTransactionId":"200"},"asOf":\#(none)}"#)
            #expect(empty.outcomes == [], "there was no catalog yet")
            #expect(try service.databaseText() == before)
        }
    }

    @Test("a refund counts from when it was signed, and the future is what follows if nothing else happens")
    func refundAndFuture() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let now = service.clock.now.milliseconds
            let day: Int64 = 86_400_000
            func row(_ more: String) -> String {
                """
                {"transactionId":"1","originalTransactionId":"1","bundleId":"com.example.pro","productId":"monthly",\
                "subscriptionGroupIdentifier":"21500001","type":"Auto-Renewable Subscription",\
                "inAppOwnershipType":"PURCHASED","environment":"LocalTesting","purchaseDate":\(now - 10 * day),\
                "expiresDate":\(now + 20 * day),\(more)}
                """
            }
            let bought = row(#""signedDate":\#(now - 10 * day)"#)
            let refunded = row(#""revocationDate":\#(now - 2 * day),"revocationReason":0,"signedDate":\#(now - day)"#)
            let renewal = """
                {"originalTransactionId":"1","productId":"monthly","autoRenewProductId":"monthly","autoRenewStatus":0,\
                "environment":"LocalTesting","signedDate":\(now - 9 * day)}
                """
            let history = #"{"transactions":[\#(refunded),\#(bought)],"renewalInfos":[\#(renewal)],"complete":true}"#
            func state(_ asOf: Int64) async throws -> [String] {
                let answer = try await service.decide(
                    #"{"history":\#(history),"offerIds":["comeback"],"catalogRevision":1,"asOf":\#(asOf)}"#)
                let rule = answer.findings.first { $0["rule"] as? String == "rule.eligibility" }
                let evidence =
                    (rule?["evidence"] as? [[String: Any]] ?? [])
                    + ((rule?["children"] as? [[String: Any]] ?? []).flatMap {
                        $0["evidence"] as? [[String: Any]] ?? []
                    })
                return evidence.filter { $0["field"] as? String == "subscription.state" }
                    .compactMap { $0["observed"] as? String }
            }
            #expect(try await state(now - 5 * day) == ["subscribed"])
            #expect(try await state(now - day - 1) == ["subscribed"], "the refund was not signed yet")
            #expect(try await state(now - day) == ["revoked"])
            let open = #"{"transactions":[\#(bought)],"renewalInfos":[\#(renewal)],"complete":true}"#
            for (offset, outcome) in [(19, "ineligible"), (21, "eligible")] as [(Int64, String)] {
                let answer = try await service.decide(
                    #"{"history":\#(open),"offerIds":["comeback"],"asOf":\#(now + offset * day)}"#)
                #expect(answer.outcomes == ["comeback \(outcome)"], "\(answer.text)")
            }
        }
    }

    @Test("moments at the ends of the calendar are decided, those beyond it refused")
    func ends() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let history = try service.history(try service.lapsedCustomer("210"))
            for asOf in ["0", "1780000000000", "253402300799999"] {
                let answer = try await service.decide(#"{"history":\#(history),"catalogRevision":1,"asOf":\#(asOf)}"#)
                #expect(answer.status == 200, "\(answer.text)")
            }
            for asOf in [
                "-1", "253402300800000", "9223372036854775807", "-9223372036854775808", "1e18", "1e300", "1e400",
            ] {
                let answer = try await service.decide(#"{"history":\#(history),"asOf":\#(asOf)}"#)
                #expect(answer.status == 400, "\(asOf): \(answer.text)")
                #expect(answer.pointers == ["/asOf"], "\(asOf)")
            }
            for asOf in [#""2026-01-01T00:00:00Z""#, "true", "{}"] {
                let answer = try await service.decide(#"{"history":\#(history),"asOf":\#(asOf)}"#)
                #expect(answer.errors.map { $0["code"] as? String } == ["wrongType"], "\(asOf): \(answer.text)")
            }
        }
    }

    @Test("another catalog, or another revision, is decided by instead of the one in force")
    func catalogs() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let history = try service.history(try service.lapsedCustomer("220"))
            func decide(_ more: String, role: Role = .marketing) async throws -> RawAnswer {
                try await service.decide(#"{"history":\#(history),\#(more)}"#, role: role)
            }
            func quoted(_ text: String) throws -> String {
                String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
            }
            let draft = TestCatalog.yaml.replacingOccurrences(of: "id: comeback\n", with: "id: welcome-back\n")
            let other = try await decide(#""catalog":\#(try quoted(draft))"#)
            #expect(other.outcomes.first == "welcome-back eligible")
            #expect(other.json["best"] as? String == "welcome-back")
            let json = """
                {"bundleId":"com.example.pro","subscriptionGroups":[{"id":"21500001","products":[{"productId":"monthly",\
                "level":1,"period":"P1M","price":{"amount":"9.99","currency":"USD"}}]}],"offers":[{"id":"gift",\
                "type":"introductory","products":["monthly"],"paymentMode":"freeTrial","period":"P1W","periodCount":1,\
                "status":"active","limits":[]}]}
                """
            #expect(try await decide(#""catalog":\#(try quoted(json))"#, role: .admin).outcomes == ["gift ineligible"])
            #expect(try await decide(#""catalogRevision":1"#).outcomes.first == "comeback eligible")
            for number in ["0", "2", "-1", "9223372036854775807"] {
                let unknown = try await decide(#""catalogRevision":\#(number)"#)
                #expect(unknown.status == 404, "\(number)")
                #expect(unknown.code == "unknown-revision")
                #expect(unknown.text.contains("`\(number)`"))
            }
            let wrong = TestCatalog.yaml.replacingOccurrences(of: "subscription.state", with: "subscription.staet")
            let applied = try await service.ask(
                "PUT", "/v1/catalog", token: try await service.token(.marketing), body: wrong,
                headers: [("Content-Type", "application/yaml"), ("If-Match", "\"1\"")])
            let invalid = try await decide(#""catalog":\#(try quoted(wrong))"#)
            #expect(invalid.status == 422)
            #expect(invalid.code == "invalid-catalog")
            #expect(invalid.errors.map { $0["line"] as? Int } == [17])
            #expect(NSArray(array: invalid.errors) == NSArray(array: applied.errors))
            let foreign = TestCatalog.yaml.replacingOccurrences(of: "com.example.pro\n", with: "com.example.other\n")
            let elsewhere = try await decide(#""catalog":\#(try quoted(foreign))"#)
            #expect(elsewhere.errors.map { $0["code"] as? String } == ["wrongApp"])
            for (more, pointer) in [
                (#""catalog":"","catalogRevision":1"#, "/catalogRevision"), (#""catalog":{}"#, "/catalog"),
                (#""catalogRevision":"1""#, "/catalogRevision"), (#""catalogRevision":1.5"#, "/catalogRevision"),
            ] {
                let refused = try await decide(more)
                #expect(refused.status == 400, "\(more): \(refused.text)")
                #expect(refused.pointers == [pointer], "\(more)")
            }
            #expect(try await decide(#""catalog":"""#).status == 422)
        }
    }

    @Test("a catalog may not rename what was issued, in a dry-run either")
    func frozen() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let issued = try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.client),
                body: service.issueBody("comeback", try service.lapsedCustomer("230")))
            #expect(issued.status == 201)
            let renamed = TestCatalog.yaml.replacingOccurrences(of: "comeback50", with: "comeback60")
            let text = String(decoding: try JSONEncoder().encode(renamed), as: UTF8.self)
            let answer = try await service.decide(#"{"customer":{"originalTransactionId":"230"},"catalog":\#(text)}"#)
            #expect(answer.status == 422)
            #expect(answer.errors.map { $0["code"] as? String } == ["frozenOnceIssued"])
        }
    }

    @Test("an environment that was never used has no revisions, and a supplied catalog is decided by in it")
    func untouched() async throws {
        try await ServiceFixture.run { service in
            let support = try await service.token(.support, scope: ServiceFixture.otherEnvironment)
            func decide(_ body: String) async throws -> RawAnswer {
                try await service.ask("POST", "/v1/decisions", token: support, body: body)
            }
            let text = String(decoding: try JSONEncoder().encode(TestCatalog.yaml), as: UTF8.self)
            let history = #""history":{"transactions":[],"renewalInfos":[],"complete":true}"#
            #expect(
                try await decide(#"{\#(history),"catalog":\#(text),"asOf":5}"#).outcomes
                    == ["comeback ineligible", "trial undetermined", "either ineligible"])
            #expect(try await decide(#"{\#(history),"catalogRevision":1}"#).code == "unknown-revision")
        }
    }

    @Test(
        "a client key may suppose nothing: 403 naming the member; null counts as absent",
        arguments: [
            ("asOf", "1"), ("history", #"{"transactions":[],"renewalInfos":[],"complete":true}"#), ("catalog", #""""#),
            ("catalogRevision", "1"),
        ])
    func clients(_ member: String, value: String) async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.decide(
                #"{"customer":{"customerId":"c"},"\#(member)":\#(value)}"#, role: .client)
            #expect(answer.status == 403)
            #expect(answer.code == "forbidden")
            #expect(
                answer.json["detail"] as? String
                    == "the API key has the role `client`, which may not send `\(member)`")
            let absent = try await service.decide(
                #"{"customer":{"customerId":"c"},"\#(member)":null}"#, role: .client)
            #expect(absent.status == 200, "\(absent.text)")
        }
    }
}
