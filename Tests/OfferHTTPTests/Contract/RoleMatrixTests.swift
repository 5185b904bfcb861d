import Foundation
import LocalAppStore
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@Suite("Who may call what")
struct RoleMatrixTests {
    private func calls() throws -> [OpenAPIDocument.Call] {
        try OpenAPIDocument().calls
    }

    @Test(
        "every route lets in exactly the roles openapi.yaml names, and admin, in every app and environment; nobody sees or changes what is another's (invariant 6)"
    )
    func matrix() async throws {
        let calls = try calls().filter { !$0.roles.isEmpty }
        #expect(calls.count >= 17)
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let support = try await service.token(.support)
            let signed = try service.lapsedCustomer("900")
            let issued = try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.client),
                body: service.issueBody("comeback", signed))
            let proof = #""signedTransactions":["\#(signed.signedTransactions.joined(separator: #"",""#))"]"#
            let id = try #require(issued.json["issuedOfferId"] as? String, "\(issued.text)")
            let decision = try #require(issued.json["decisionId"] as? String)
            let refused = try await service.refusal().decisionId
            let event = try await service.eventId(.offerIssued)
            for scope in [ServiceFixture.otherApp, ServiceFixture.otherEnvironment, ServiceFixture.scope] {
                let isForeign = scope != ServiceFixture.scope
                for role in Role.allCases {
                    let token = try await service.token(role, scope: scope)
                    for call in calls {
                        let request = MatrixRequest(
                            call, as: role, proof: proof, issuedOfferId: id, decisionId: refused, eventId: event)
                        let answer = try await service.ask(
                            request.method, request.target, token: token, body: request.body,
                            headers: request.headers)
                        let name: Comment = "\(scope) \(role.rawValue) \(call.name): \(answer.status) \(answer.text)"
                        let isAllowed = role == .admin || call.roles.contains(role.rawValue)
                        #expect((answer.code == "forbidden") == !isAllowed, name)
                        #expect(answer.status != 401 && answer.status < 500, name)
                        if !isAllowed {
                            expectRefusal(answer, role: role, needed: call.roles, name)
                        } else if isForeign {
                            #expect(answer.status == 404 || !call.path.contains("{"), name)
                            for secret in [decision, "app-900", "comeback50"] {
                                #expect(!answer.text.contains(secret), name)
                            }
                        }
                    }
                }
                guard isForeign else { continue }
                let after = try await service.ask("GET", "/v1/issued-offers/\(id)", token: support)
                #expect(after.body == issued.body)
                let offers = try await service.ask("GET", "/v1/offers", token: support)
                #expect(!offers.text.contains(#""paused":true"#), "\(offers.text)")
                let catalog = try await service.ask("GET", "/v1/catalog", token: support)
                #expect(catalog.headers["etag"] == "\"1\"")
            }
        }
    }

    private func expectRefusal(_ answer: RawAnswer, role: Role, needed: [String], _ name: Comment) {
        #expect(answer.status == 403, name)
        #expect(answer.json["detail"] as? String == "the API key has the role `\(role.rawValue)`", name)
        for role in needed {
            #expect((answer.json["hint"] as? String)?.contains("`\(role)`") == true, name)
        }
    }

    @Test(
        "without a key in force every route but the open ones answers 401",
        arguments: [
            nil, "Bearer", "Bearer x", "Basic eDp5", "Bearer offerd_client_test_0000000000000000_00", "bearer  ",
            "Bearer offerd_client_test_0123456789abcdef_" + String(repeating: "0", count: 64), "Bearer a b",
        ])
    func unauthenticated(_ authorization: String?) async throws {
        let calls = try calls()
        try await ServiceFixture.run { service in
            for call in calls {
                let answer = try await service.ask(
                    call.method, call.path, headers: authorization.map { [("Authorization", $0)] } ?? [])
                guard !call.roles.isEmpty else {
                    // Of what the App Store calls the path is no app's here.
                    #expect(answer.status == (call.method == "GET" ? 200 : 404), "\(call.name)")
                    continue
                }
                #expect(answer.status == 401)
                #expect(answer.code == "unauthenticated")
                #expect(answer.headers["www-authenticate"] == "Bearer")
            }
        }
    }

    @Test("a refusal tells a missing key from one without `Bearer` before it, and from one that is unknown")
    func namedReasons() async throws {
        try await ServiceFixture.run { service in
            let token = try await service.token(.support)
            let unknown = "offerd_support_test_0123456789abcdef_" + String(repeating: "0", count: 64)
            let form = "the `Authorization` header is not of the form `Bearer TOKEN`"
            for (headers, detail) in [
                ([], "the request carries no API key"), ([token], form), (["Token \(token)"], form),
                (["Basic eDp5"], form), (["Bearer"], form), ([""], form), (["Bearer a b"], form),
                (["Bearer \(token)", "Bearer \(token)"], form),
                (["Bearer \(unknown)"], "the API key is unknown, expired or revoked"),
                (["Bearer x"], "the API key is unknown, expired or revoked"),
            ] {
                let answer = try await service.ask(
                    "GET", "/v1/issued-offers", headers: headers.map { ("Authorization", $0) })
                #expect(answer.status == 401)
                #expect(answer.json["detail"] as? String == detail, "\(headers): \(answer.text)")
            }
        }
    }

    @Test(
        "a key is read after its scheme in any case, whatever spaces stand between",
        arguments: ["Bearer ", "bEARER   "])
    func schemes(_ scheme: String) async throws {
        try await ServiceFixture.run { service in
            let token = try await service.token(.support)
            let answer = try await service.ask(
                "GET", "/v1/issued-offers", headers: [("Authorization", scheme + token)])
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    @Test("a revoked or expired key is let in no longer, from the next request on")
    func endedKeys() async throws {
        try await ServiceFixture.run { service in
            let short = try await service.token(
                .support, expiresAt: ServiceFixture.start.adding(milliseconds: 1_000))
            let long = try await service.token(.support)
            let target = "/v1/issued-offers"
            #expect(try await service.ask("GET", target, token: short).status == 200)
            #expect(try await service.ask("GET", target, token: long).status == 200)
            service.clock.advance(milliseconds: 1_000)
            let id = try #require(long.split(separator: "_").dropFirst(3).first)
            #expect(try await service.useCases.apiKeys.revoke(String(id)))
            #expect(try await service.ask("GET", target, token: short).status == 401)
            #expect(try await service.ask("GET", target, token: long).status == 401)
        }
    }

    @Test("two Authorization headers are none")
    func twoHeaders() async throws {
        try await ServiceFixture.run { service in
            let token = try await service.token(.support)
            let answer = try await service.ask(
                "GET", "/v1/issued-offers", token: token, headers: [("Authorization", "Bearer \(token)")])
            #expect(answer.status == 401)
        }
    }
}
