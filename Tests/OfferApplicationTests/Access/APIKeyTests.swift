import OfferApplication
import OfferModel
import OfferTestSupport
import SQLiteStore
import Testing

@Suite("API keys")
struct APIKeyTests {
    @Test("a token names its holder's app, environment and role")
    func caller() async throws {
        let bench = try await Workbench()
        for role in Role.allCases {
            let token = try await bench.useCases.apiKeys.create(scope: Workbench.scope, role: role)
            #expect(
                try await bench.useCases.apiKeys.caller(forToken: token.text)
                    == Caller(apiKeyId: token.id, scope: Workbench.scope, role: role))
        }
    }

    @Test("malformed tokens, unknown ones and a right id with a wrong secret are nobody")
    func refused() async throws {
        let bench = try await Workbench()
        let keys = bench.useCases.apiKeys
        let first = try await keys.create(scope: Workbench.scope, role: .client)
        let second = try await keys.create(scope: Workbench.scope, role: .admin)
        let text = first.text
        let secret = String(text.suffix(64))
        let spoiled = String(text.dropLast()) + (text.hasSuffix("0") ? "1" : "0")
        for wrong in [
            "", "offerd", "offerd__", "offerd_\(first.id)", "offerd_\(first.id)_", text + " ", " " + text, text + "_",
            text.uppercased(), "Bearer \(text)", String(text.dropLast()), text + "0", spoiled,
            "offerd_\(second.id)_\(secret)", "offerd_0000000000000000_\(secret)", "offerx_\(first.id)_\(secret)",
            "offerd_\(first.id)_' OR 1=1 --", "offerd_\(first.id)_" + String(repeating: "é", count: 32),
        ] {
            #expect(try await keys.caller(forToken: wrong) == nil, "\(wrong)")
        }
    }

    @Test("a key revoked through another opening of the file, or past its end, is nobody from then on")
    func ended() async throws {
        let bench = try await Workbench(onFile: true)
        let keys = bench.useCases.apiKeys
        let token = try await keys.create(scope: Workbench.scope, role: .client)
        let end = bench.clock.now.adding(milliseconds: 1_000)
        let brief = try await keys.create(scope: Workbench.scope, role: .client, expiresAt: end)
        #expect(try await keys.caller(forToken: token.text) != nil)
        let second = try bench.reopened()
        #expect(try await bench.useCases(over: second).apiKeys.revoke(token.id))
        #expect(try await !bench.useCases(over: second).apiKeys.revoke(token.id))
        #expect(try await keys.caller(forToken: token.text) == nil)
        bench.clock.advance(milliseconds: -Instant.Duration.hour)
        #expect(try await keys.caller(forToken: token.text) == nil, "a revocation holds whatever the clock says")
        bench.clock.advance(milliseconds: Instant.Duration.hour + 999)
        #expect(try await keys.caller(forToken: brief.text) != nil)
        bench.clock.advance(milliseconds: 1)
        #expect(try await keys.caller(forToken: brief.text) == nil)
        #expect(try await keys.list().map(\.id) == [token.id, brief.id].sorted())
        try second.close()
        try bench.database.close()
    }

    @Test("neither a token's description nor its dump shows the secret")
    func redacted() async throws {
        let bench = try await Workbench()
        let token = try await bench.useCases.apiKeys.create(scope: Workbench.scope, role: .client)
        let secret = String(token.text.suffix(64))
        var dumped = ""
        dump(token, to: &dumped)
        dump(try await bench.useCases.apiKeys.list(), to: &dumped)
        dump([token], to: &dumped)
        for text in ["\(token)", String(reflecting: token), "\([token])", dumped] {
            #expect(!text.contains(secret))
        }
    }
}
