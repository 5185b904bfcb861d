import Foundation
import OfferModel
import OfferSigning
import OfferTestSupport
import Testing

@Suite("Signing in Sandbox, over HTTP")
struct SandboxSigningTests {
    private static let sandbox = ServiceFixture.otherEnvironment

    private static let catalog =
        TestCatalog.yaml + """
              - id: old
                type: promotional
                offerIdentifier: old50
                products: [monthly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                status: active
                limits: []
                formats: [v1]
              - id: both
                type: promotional
                offerIdentifier: both50
                products: [monthly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                status: active
                limits: []
                formats: [v1, v2]

            """

    private static func issue(
        _ service: ServiceFixture, _ offer: String, _ scope: Scope, more: String = ""
    ) async throws -> RawAnswer {
        let signed = try service.lapsedCustomer("100", environment: scope.environment)
        return try await service.ask(
            "POST", "/v1/issued-offers", token: try await service.token(.client, scope: scope),
            body: service.issueBody(offer, signed, more: more))
    }

    private static func apply(_ service: ServiceFixture, _ scope: Scope) async throws {
        let answer = try await service.ask(
            "PUT", "/v1/catalog", token: try await service.token(.marketing, scope: scope), body: catalog,
            headers: [("Content-Type", "application/yaml"), ("If-Match", "\"0\"")])
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test("attack: a V1 signature of Sandbox is one of Production; it is refused unless keys.yaml allows it")
    func v1() async throws {
        try await ServiceFixture.run { service in
            try await Self.apply(service, Self.sandbox)
            let asked = try await Self.issue(service, "comeback", Self.sandbox, more: #","formats":["v1"]"#)
            #expect(asked.status == 400, "\(asked.text)")
            #expect(asked.code == "invalid-request")
            let errors = try #require(asked.json["errors"] as? [[String: Any]])
            #expect(errors.first?["pointer"] as? String == "/formats/0")
            #expect((errors.first?["hint"] as? String)?.contains("sandbox: { v1: true }") == true)
            // An offer that is delivered as V1 alone is refused by the rules, in a dry-run too (invariant 4).
            let alone = try await Self.issue(service, "old", Self.sandbox)
            #expect(alone.status == 403, "\(alone.text)")
            #expect(alone.text.contains("formatExcluded"))
            let dryRun = try await service.ask(
                "POST", "/v1/decisions", token: try await service.token(.support, scope: Self.sandbox),
                body: #"{"customer":{"originalTransactionId":"100"},"offerIds":["old"]}"#)
            #expect(dryRun.text.contains("formatExcluded"), "\(dryRun.text)")
            #expect(try service.rows("SELECT COUNT(*) FROM signature WHERE format = 'v1'") == [["0"]])
            // Where the offer has several, the first that is allowed is taken.
            let both = try await Self.issue(service, "both", Self.sandbox)
            #expect(both.status == 201, "\(both.text)")
            let signatures = try #require(both.json["signatures"] as? [String: Any])
            #expect(signatures.keys.sorted() == ["v2"])
        }
    }

    @Test("V2 of Sandbox names a transaction, which Production does not know")
    func v2() async throws {
        try await ServiceFixture.run { service in
            try await Self.apply(service, Self.sandbox)
            let answer = try await Self.issue(service, "comeback", Self.sandbox)
            #expect(answer.status == 201, "\(answer.text)")
            let signatures = try #require(answer.json["signatures"] as? [String: [String: Any]])
            let jws = try #require(signatures["v2"]?["jws"] as? String)
            let payload = try JSONSerialization.jsonObject(with: Data(try CompactJWS(parsing: jws).payload))
            #expect((payload as? [String: Any])?["transactionId"] as? String == "100")
        }
    }

    @Test("V1 of Sandbox is signed where keys.yaml says so, and elsewhere without asking")
    func allowed() async throws {
        try await ServiceFixture.run(signsV1InSandbox: true) { service in
            try await Self.apply(service, Self.sandbox)
            let answer = try await Self.issue(service, "old", Self.sandbox)
            #expect(answer.status == 201, "\(answer.text)")
        }
        try await ServiceFixture.run { service in
            try await Self.apply(service, ServiceFixture.scope)
            let answer = try await Self.issue(service, "old", ServiceFixture.scope)
            #expect(answer.status == 201, "\(answer.text)")
        }
    }

    @Test("each environment has a key of its own")
    func keys() async throws {
        try await ServiceFixture.run { service in
            var keyIds: [String] = []
            for scope in [ServiceFixture.scope, Self.sandbox] {
                try await Self.apply(service, scope)
                let answer = try await Self.issue(service, "comeback", scope)
                keyIds.append(try #require(answer.json["keyId"] as? String, "\(answer.text)"))
            }
            #expect(keyIds == ["LOCALTEST1", "2X9R4HXF34"])
        }
    }
}
