import Foundation
import OfferApplication
import OfferModel
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("A customer token of an app without a backend")
struct CustomerTokenTests {
    private static let provider = Result { try LoginProvider() }

    /// A world that trusts a login provider whose keys are in a file.
    private static func run(
        _ body: @escaping @Sendable (AppWorld, LoginProvider) async throws -> Void
    ) async throws {
        let provider = try provider.get()
        let keys = try JSONWebKeySet.keys(Array(try provider.keySet("rsa", "ec").utf8))
        try await AppWorld.run { world in
            world.trust(.known(keys))
            try await body(world, provider)
        }
    }

    private static func family(_ device: AppWorld.Device, _ more: String = "") -> String {
        #""offerId":"family",\#(device.proof)\#(more)"#
    }

    @Test(
        "attack: a token that is not right is refused with its reason, in no answer and no log",
        arguments: TokenAttack.all)
    func attack(_ attack: TokenAttack) async throws {
        try await Self.run { world, provider in
            let tokens = try attack.tokens(provider, world.service.clock.now.seconds)
            let answer = try await world.ask(
                "/v1/issued-offers", Self.family(world.mallory, attack.members),
                token: try await world.service.token(attack.role), headers: tokens.map { ("Customer-Token", $0) })
            #expect(answer.status == attack.status, "\(answer.text)")
            #expect(answer.code == attack.code, "\(answer.text)")
            #expect((answer.json["detail"] as? String)?.contains(attack.detail) == true, "\(answer.text)")
            #expect((answer.json["hint"] as? String)?.isEmpty == false, "\(answer.text)")
            for part in tokens.flatMap({ $0.split(separator: ".") }) where part.utf8.count > 8 {
                #expect(!answer.text.contains(part), "\(answer.text)")
                #expect(!world.service.log.lines.joined().contains(part))
            }
            #expect(try world.service.rows("SELECT COUNT(*) FROM issued_offer") == [["0"]])
        }
    }

    @Test("the attacks differ")
    func count() {
        #expect(TokenAttack.all.count >= 45)
        #expect(Set(TokenAttack.all.map(\.title)).count == TokenAttack.all.count)
    }

    @Test("a token longer than all headers may be gets an answer, and the next request too")
    func hugeToken() async throws {
        try await Self.run { world, provider in
            let huge = String(repeating: "a", count: 1_000_000)
            let answer = try await world.ask(
                "/v1/decisions", world.anna.proof, headers: [("Customer-Token", huge)])
            #expect((400..<500).contains(answer.status), "\(answer.text)")
            #expect(try await world.ask("/v1/decisions", world.anna.proof).status == 200)
        }
    }

    @Test(
        "it is accepted until `exp`, and from a minute before `nbf` and `iat`, with any of several audiences",
        arguments: ["rsa", "ec"])
    func dates(key: String) async throws {
        try await Self.run { world, provider in
            let now = world.service.clock.now.seconds
            func check(_ changes: [String: String?], _ status: Int) async throws {
                let token = try provider.token(LoginProvider.claims("user-1", at: now, changes), key: key)
                let answer = try await world.ask(
                    "/v1/decisions", world.anna.proof, headers: [("Customer-Token", token)])
                #expect(answer.status == status, "\(changes): \(answer.text)")
            }
            try await check([:], 200)
            try await check(["exp": "\(now)"], 403)
            try await check(["exp": "\(now).5"], 200)
            for claim in ["nbf", "iat"] {
                try await check([claim: "\(now + 60)"], 200)
                try await check([claim: "\(now + 61)"], 403)
                try await check([claim: nil], 200)
            }
            try await check(["aud": #"["other-app","example-app"]"#], 200)
            try await check(["sub": "\"\(String(repeating: "s", count: 255))\""], 200)
        }
    }

    @Test("without a login provider it is refused, not ignored, and the hint says what to set")
    func unconfigured() async throws {
        try await AppWorld.run { world in
            let other = try await world.ask(
                "/v1/decisions", world.anna.proof, headers: [("Customer-Token", "a.b.c")])
            #expect(other.status == 400 && other.code == "invalid-request", "\(other.text)")
            #expect((other.json["hint"] as? String)?.contains("`customerTokens`") == true, "\(other.text)")
            world.trust(.known([:]), app: "com.example.other")
            let foreign = try await world.ask(
                "/v1/decisions", world.anna.proof, headers: [("Customer-Token", "a.b.c")])
            #expect(foreign.status == 400, "\(foreign.text)")
        }
    }

    @Test("an app's own provider is asked before that of all apps")
    func ownProvider() async throws {
        try await Self.run { world, provider in
            let keys = try JSONWebKeySet.keys(Array(try provider.keySet("rsa").utf8))
            world.service.useCases.customerTokens.replace(with: [
                CustomerTokens.Provider(issuer: "https://all.example.com", audience: "all", keys: .known(keys)),
                CustomerTokens.Provider(
                    issuer: LoginProvider.issuer, audience: LoginProvider.audience, keys: .known(keys),
                    app: ServiceFixture.scope.bundleId),
            ])
            let own = try world.token("user-1", provider, key: "rsa")
            #expect(try await world.ask("/v1/decisions", world.anna.proof, headers: [own]).status == 200)
            let changes = ["iss": "\"https://all.example.com\"", "aud": "\"all\""]
            let other = try provider.token(
                LoginProvider.claims("user-1", at: world.service.clock.now.seconds, changes), key: "rsa")
            let refused = try await world.ask(
                "/v1/decisions", world.anna.proof, headers: [("Customer-Token", other)])
            #expect(refused.code == "customer-token-refused", "\(refused.text)")
        }
    }

    @Test("all four calls of an app take it, with the `customerId` that it proves")
    func calls() async throws {
        try await Self.run { world, provider in
            let token = try world.token("user-1", provider)
            let named = #","customer":{"customerId":"user-1"}"#
            for (path, members, status) in [
                ("/v1/transactions", "\(world.mallory.proof)\(named)", 200),
                ("/v1/decisions", "\(world.mallory.proof)\(named)", 200),
                ("/v1/customers/status", #"\#(world.mallory.proof),"customers":[{"customerId":"user-1"}]"#, 200),
                ("/v1/issued-offers", Self.family(world.mallory, named), 201),
            ] {
                let answer = try await world.ask(path, members, headers: [token])
                #expect(answer.status == status, "\(path): \(answer.text)")
                let without = try await world.ask(path, members)
                #expect(without.code == "unproven-customer", "\(path): \(without.text)")
            }
            // It never replaces signed data.
            let unproven = try await world.ask("/v1/issued-offers", #""offerId":"family""#, headers: [token])
            #expect(unproven.code == "unproven-customer", "\(unproven.text)")
        }
    }
}
