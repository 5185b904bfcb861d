import Foundation
import OfferApplication
import OfferStore
import OfferTestSupport
import Testing

@testable import OfferModel

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
            "", "offerd", "offerd__", "offerd_client_test_", "offerd_client_test_\(first.id)",
            "offerd_client_test_\(first.id)_", text + " ", " " + text, text + "_", text.uppercased(), "Bearer \(text)",
            String(text.dropLast()), text + "0", spoiled, "offerd_\(first.id)_\(secret)",
            "offerd_client_\(first.id)_\(secret)", "offerd_owner_test_\(first.id)_\(secret)",
            "offerd_client_prod_\(first.id)_\(secret)", "offerd_admin_test_\(second.id)_\(secret)",
            "offerd_client_test_0000000000000000_\(secret)", "offerx_client_test_\(first.id)_\(secret)",
            "offerd_client_test_\(first.id)_' OR 1=1 --",
            "offerd_client_test_\(first.id)_" + String(repeating: "é", count: 32),
        ] {
            #expect(try await keys.caller(forToken: wrong) == nil, "\(wrong)")
        }
    }

    @Test("a token begins with its role and with live for Production only, and with another beginning it is refused")
    func beginning() async throws {
        let bench = try await Workbench()
        let keys = bench.useCases.apiKeys
        for role in Role.allCases {
            for environment in AppStoreEnvironment.allCases {
                let scope = Scope(bundleId: Workbench.scope.bundleId, environment: environment)
                let (place, other) = environment == .production ? ("live", "test") : ("test", "live")
                let created = try await keys.create(scope: scope, role: role)
                let rotated = try await keys.rotate(created.id, overlap: Period(days: 1)).token
                for text in [created.text, rotated.text] {
                    #expect(text.hasPrefix("offerd_\(role.rawValue)_\(place)_"), "\(text)")
                    #expect(try await keys.caller(forToken: text)?.scope == scope)
                    let rest = text.split(separator: "_").suffix(2).joined(separator: "_")
                    #expect(try await keys.caller(forToken: "offerd_\(role.rawValue)_\(other)_\(rest)") == nil)
                    let wrong = role == .admin ? "client" : "admin"
                    #expect(try await keys.caller(forToken: "offerd_\(wrong)_\(place)_\(rest)") == nil)
                }
            }
        }
    }

    @Test("docs/configuration.md gives scanners of leaked secrets a pattern of every token, and of no other text")
    func scanned() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/configuration.md"), encoding: .utf8)
        let text = try #require(page.firstMatch(of: #/scanner of leaked secrets: tokens match\s+`([^`]+)`/#)?.1)
        let pattern = try Regex(String(text))
        let keys = try await Workbench().useCases.apiKeys
        for role in Role.allCases {
            for environment in AppStoreEnvironment.allCases {
                let scope = Scope(bundleId: Workbench.scope.bundleId, environment: environment)
                let token = try await keys.create(scope: scope, role: role).text
                #expect(token.wholeMatch(of: pattern) != nil, "\(token)")
                #expect(token.dropLast().wholeMatch(of: pattern) == nil)
                #expect(token.replacing("_\(role.rawValue)_", with: "_owner_").firstMatch(of: pattern) == nil)
            }
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

    @Test("a rotated key and its replacement are accepted together for the overlap, then the replacement alone")
    func rotated() async throws {
        let bench = try await Workbench()
        let keys = bench.useCases.apiKeys
        let day = Instant.Duration.day
        let old = try await keys.create(
            scope: Workbench.scope, role: .support, label: "desk",
            expiresAt: bench.clock.now.adding(milliseconds: 90 * day))
        bench.clock.advance(milliseconds: 80 * day)
        let (new, end) = try await keys.rotate(old.id, overlap: Period(days: 2))
        #expect(end == bench.clock.now.adding(milliseconds: 2 * day))
        let listed = try await keys.list()
        #expect(listed.map(\.label) == ["desk", "desk"])
        #expect(listed.map(\.state) == [.ends(end), .active])
        #expect(listed.map(\.expiresAt) == [end, bench.clock.now.adding(milliseconds: 90 * day)])
        for (advance, isOldAccepted) in [(0, true), (2 * day - 1, true), (1, false), (80 * day, false)] {
            bench.clock.advance(milliseconds: advance)
            #expect((try await keys.caller(forToken: old.text) != nil) == isOldAccepted)
            #expect(
                try await keys.caller(forToken: new.text)
                    == Caller(apiKeyId: new.id, scope: Workbench.scope, role: .support))
        }
        #expect(try await keys.list().map(\.state) == [.expired, .active])
        bench.clock.advance(milliseconds: 8 * day)
        #expect(try await keys.caller(forToken: new.text) == nil)
    }

    @Test("only an active key is rotated, and once; its end is no later than its expiry")
    func rotatedOnce() async throws {
        let bench = try await Workbench()
        let keys = bench.useCases.apiKeys
        func refusal(_ id: String) async -> APIKeyNotActive? {
            await #expect(throws: APIKeyNotActive.self) { _ = try await keys.rotate(id, overlap: Period(days: 1)) }
        }
        let brief = bench.clock.now.adding(milliseconds: Instant.Duration.hour)
        let old = try await keys.create(scope: Workbench.scope, role: .client, expiresAt: brief)
        let (new, end) = try await keys.rotate(old.id, overlap: Period(days: 30), lifetime: Period(days: 1))
        #expect(end == brief, "an overlap extends nothing")
        #expect(await refusal(old.id)?.state == .ends(brief))
        #expect(await refusal("unheard-of")?.state == nil)
        #expect(try await keys.revoke(new.id))
        #expect(await refusal(new.id)?.state == .revoked)
        bench.clock.advance(milliseconds: Instant.Duration.hour)
        #expect(await refusal(old.id)?.state == .expired)
        #expect(try await keys.list().count == 2, "a refusal makes no key")
    }

    @Test("a key that was rotated and then revoked stays revoked when the clock is set back, or the store's time reset")
    func rotatedAndRevoked() async throws {
        let bench = try await Workbench()
        let keys = bench.useCases.apiKeys
        let old = try await keys.create(scope: Workbench.scope, role: .client)
        let (new, _) = try await keys.rotate(old.id, overlap: Period(days: 2))
        #expect(try await keys.revoke(old.id), "an overlap can be cut short")
        for advance in [-Instant.Duration.hour, Instant.Duration.day] {
            bench.clock.advance(milliseconds: advance)
            #expect(try await keys.caller(forToken: old.text) == nil)
            #expect(try await keys.caller(forToken: new.text) != nil)
            #expect(try await keys.list().first { $0.id == old.id }?.state == .revoked)
        }
    }

    @Test("no overlap is counted from a time that only a clock that ran ahead has seen")
    func rotatedAhead() async throws {
        let bench = try await Workbench()
        let keys = bench.useCases.apiKeys
        let old = try await keys.create(scope: Workbench.scope, role: .client)
        let ahead = bench.clock.now.adding(milliseconds: 365 * Instant.Duration.day)
        try await bench.database.write { try StoreClock($0).advance(to: ahead) }
        await #expect {
            _ = try await keys.rotate(old.id, overlap: Period(days: 2))
        } throws: { error in
            if case RequestError.clockBehind = error { true } else { false }
        }
        #expect(try await keys.list().map(\.state) == [.active])
    }

    @Test("a key with networks is refused from elsewhere, as a failed authentication; its replacement has them too")
    func networks() async throws {
        let bench = try await Workbench(
            rates: RequestRates(
                RateLimits(key: nil, customer: nil, failedAuthentication: RateLimit(perSecond: 1, burst: 1)),
                clock: { 0 }))
        let keys = bench.useCases.apiKeys
        let networks = [try IPNetwork("10.0.0.0/8"), try IPNetwork("2001:db8::/32")]
        let old = try await keys.create(scope: Workbench.scope, role: .client, networks: networks)
        let (new, _) = try await keys.rotate(old.id, overlap: Period(days: 1))
        #expect(try await keys.list().map(\.networks) == [networks, networks])
        for token in [old, new] {
            for inside in ["10.1.2.3", "2001:db8::1"] {
                #expect(try await keys.caller(forToken: token.text, from: IPAddress(inside)) != nil)
            }
        }
        func refusal(from address: IPAddress?) async -> String {
            do {
                return "\(String(describing: try await keys.caller(forToken: new.text, from: address)?.role))"
            } catch RequestError.addressNotAllowed(let seen) {
                return "not from \(seen?.description ?? "nowhere")"
            } catch RequestError.rateLimited {
                return "too often"
            } catch {
                return "\(error)"
            }
        }
        #expect(await refusal(from: nil) == "not from nowhere")
        #expect(await refusal(from: IPAddress("11.0.0.1")) == "not from 11.0.0.1")
        #expect(await refusal(from: IPAddress("11.0.0.1")) == "too often")
        let wrong = String(new.text.dropLast()) + (new.text.hasSuffix("0") ? "1" : "0")
        #expect(
            try await keys.caller(forToken: wrong, from: IPAddress("11.0.0.2")) == nil,
            "only a key's holder learns of it")
    }

    @Test(
        "the hour of a key's last use is stored once, without a commit of the request; the later of two servers stays")
    func lastUsed() async throws {
        let bench = try await Workbench(onFile: true)
        let keys = bench.useCases.apiKeys
        let (hour, minute) = (Instant.Duration.hour, Instant.Duration.minute)
        let start = bench.clock.now.milliseconds / hour * hour
        bench.clock.advance(milliseconds: start + hour + 59 * minute - bench.clock.now.milliseconds)
        let token = try await keys.create(scope: Workbench.scope, role: .client)
        let idle = try await keys.create(scope: Workbench.scope, role: .client)
        func stored() async throws -> Int64? {
            let listed = try await keys.list()
            #expect(listed.first { $0.id == idle.id }?.lastUsedAt == nil)
            return try #require(listed.first { $0.id == token.id }).lastUsedAt?.milliseconds
        }
        let second = try bench.reopened()
        let others = bench.useCases(over: second).apiKeys
        #expect(try await others.caller(forToken: token.text) != nil)
        bench.clock.advance(milliseconds: minute)
        #expect(try await keys.caller(forToken: token.text) != nil)
        #expect(try await stored() == nil)
        try await keys.storeUses()
        #expect(try await stored() == start + 2 * hour)
        try await others.storeUses()
        #expect(try await stored() == start + 2 * hour)
        try second.close()
        bench.clock.advance(milliseconds: hour - 1)
        #expect(try await keys.caller(forToken: token.text) != nil)
        try await keys.storeUses()
        #expect(try await stored() == start + 2 * hour)
        bench.clock.advance(milliseconds: 1)
        #expect(try await keys.caller(forToken: String(token.text.dropLast()) + "g") == nil)
        try await keys.storeUses()
        #expect(try await stored() == start + 2 * hour, "a failed authentication is no use")
        #expect(try await keys.caller(forToken: token.text) != nil)
        try await keys.storeUses()
        #expect(try await stored() == start + 3 * hour)
        try bench.database.close()
    }

    @Test("a use that was noted while the clock was ahead is stored in the hour to which the clock was set back")
    func usedAhead() async throws {
        let bench = try await Workbench()
        let keys = bench.useCases.apiKeys
        let token = try await keys.create(scope: Workbench.scope, role: .client)
        let hour = Instant.Duration.hour
        bench.clock.advance(milliseconds: hour)
        let now = bench.clock.now
        bench.clock.advance(milliseconds: 24 * hour)
        #expect(try await keys.caller(forToken: token.text) != nil)
        bench.clock.advance(milliseconds: -24 * hour)
        try await keys.storeUses()
        let used = try await keys.list().first { $0.id == token.id }?.lastUsedAt
        #expect(used == Instant(milliseconds: now.milliseconds / hour * hour))
    }

    @Test("a key that is used in the hour of its creation was last used then, and not at the beginning of the hour")
    func usedAtOnce() async throws {
        let bench = try await Workbench()
        let (keys, hour) = (bench.useCases.apiKeys, Instant.Duration.hour)
        bench.clock.advance(milliseconds: hour * 3 / 2 - bench.clock.now.milliseconds % hour)
        let token = try await keys.create(scope: Workbench.scope, role: .client)
        let created = bench.clock.now
        func used() async throws -> Instant? { try await keys.list().first { $0.id == token.id }?.lastUsedAt }
        bench.clock.advance(milliseconds: 1_000)
        #expect(try await keys.caller(forToken: token.text) != nil)
        try await keys.storeUses()
        #expect(try await used() == created)
        bench.clock.advance(milliseconds: hour)
        #expect(try await keys.caller(forToken: token.text) != nil)
        try await keys.storeUses()
        #expect(try await used() == created.adding(milliseconds: hour / 2))
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
