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
        bench.clock.advance(milliseconds: 999)
        #expect(try await keys.caller(forToken: brief.text) != nil)
        bench.clock.advance(milliseconds: 1)
        #expect(try await keys.caller(forToken: brief.text) == nil)
        #expect(try await keys.list().map(\.id) == [token.id, brief.id].sorted())
        try second.close()
        try bench.database.close()
    }

    @Test("a rotated key and its replacement are accepted together for the overlap, then the replacement alone")
    func rotated() async throws {
        let bench = try await Workbench()
        let keys = bench.useCases.apiKeys
        let (hour, day) = (Instant.Duration.hour, Instant.Duration.day)
        let old = try await keys.create(
            scope: Workbench.scope, role: .support, label: "desk",
            expiresAt: bench.clock.now.adding(milliseconds: 90 * day))
        bench.clock.advance(milliseconds: 80 * day)
        let (new, end) = try #require(try await keys.rotate(old.id, overlap: Period(days: 2)))
        #expect(end == bench.clock.now.adding(milliseconds: 2 * day))
        let listed = try await keys.list()
        #expect(listed.map(\.label) == ["desk", "desk"])
        #expect(listed.map(\.endsAt) == [end, bench.clock.now.adding(milliseconds: 90 * day)])
        for (advance, isOldAccepted) in [(0, true), (2 * day - 1, true), (1, false), (80 * day, false)] {
            bench.clock.advance(milliseconds: advance)
            #expect((try await keys.caller(forToken: old.text) != nil) == isOldAccepted)
            #expect(
                try await keys.caller(forToken: new.text)
                    == Caller(apiKeyId: new.id, scope: Workbench.scope, role: .support))
        }
        bench.clock.advance(milliseconds: 8 * day)
        #expect(try await keys.caller(forToken: new.text) == nil)
        #expect(try await keys.rotate(new.id, overlap: Period(days: 2)) == nil, "it has expired")
        #expect(try await keys.list().count == 2)

        let endless = try await keys.create(scope: Workbench.scope, role: .client)
        let brief = bench.clock.now.adding(milliseconds: hour)
        let (third, _) = try #require(
            try await keys.rotate(endless.id, overlap: Period(days: 30), expiresAt: brief))
        let (_, sooner) = try #require(try await keys.rotate(third.id, overlap: Period(days: 30)))
        #expect(sooner == brief, "what expires sooner is not extended")
        #expect(try await keys.revoke(endless.id), "an overlap can be cut short")
        #expect(try await keys.caller(forToken: endless.text) == nil)
        #expect(try await keys.rotate(endless.id, overlap: Period(days: 1)) == nil)
        #expect(try await keys.rotate("unheard-of", overlap: Period(days: 1)) == nil)
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
