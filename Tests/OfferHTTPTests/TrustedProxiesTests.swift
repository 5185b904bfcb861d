import HTTPTypes
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferHTTP

@Suite("The caller's address")
struct TrustedProxiesTests {
    private static let proxies = ["10.0.0.0/8", "::1/128"]

    private func caller(
        _ headers: [(String, String)], peer: String = "10.0.0.1", trusted: [String] = proxies
    ) throws -> String? {
        var fields = HTTPFields()
        for (name, value) in headers {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        return TrustedProxies(networks: try trusted.map { try IPNetwork($0) })
            .caller(peer: IPAddress(peer), headers: fields)?.description
    }

    @Test(
        "is the right-most in X-Forwarded-For that is not a trusted proxy, and unknown where an element is no address",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("198.51.100.9, 192.0.2.1", "192.0.2.1"), ("192.0.2.1, 10.9.9.9", "192.0.2.1"),
            ("192.0.2.1,10.9.9.9 ,\t::1", "192.0.2.1"), ("2001:db8::7", "2001:db8::7"),
            ("[2001:db8::7]:443", "2001:db8::7"),
            ("192.0.2.1:8080", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("\"junk, 192.0.2.1", "192.0.2.1"),
            ("junk, 192.0.2.1", "192.0.2.1"), ("10.1.1.1, 10.2.2.2", "10.0.0.1"), ("192.0.2.1, junk", nil),
            ("192.0.2.1, unknown, 10.2.2.2", nil), ("192.0.2.1,", nil), ("", nil),
            (",,,", nil),
            ("192.0.2.1:port", nil), ("192.0.2.1:123456", nil), ("[192.0.2.1]", nil),
            ("[2001:db8::7", nil), ("fe80::1%eth0", nil), ("010.1.1.1", nil),
        ])
    func forwardedFor(_ value: String, _ expected: String?) throws {
        #expect(try caller([("X-Forwarded-For", value)]) == expected)
    }

    @Test(
        "is the right-most `for` in Forwarded that is not a trusted proxy, and unknown where an element is no address",
        arguments: [
            ("for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"),
            ("For=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17"),
            ("for=198.51.100.9, for=192.0.2.1", "192.0.2.1"), ("for=192.0.2.1, for=10.9.9.9", "192.0.2.1"),
            ("for=\"192.0.2.1:47011\"; secret=\"a,b\"", "192.0.2.1"), ("for=\", for=192.0.2.1", "192.0.2.1"),
            ("for=\"x, for=192.0.2.1, for=\"[::1]\"", "192.0.2.1"), ("for=unknown", nil),
            ("for=_hidden", nil),
            ("for=192.0.2.1, for=_proxy, for=10.2.2.2", nil), ("by=192.0.2.1", nil),
            ("192.0.2.1", nil),
            ("for=192.0.2.1;for=192.0.2.2", nil), ("for=\"192.0.2.1", nil), ("for=\"", nil),
            ("for=", nil),
            ("", nil), ("=;=,;", nil),
        ])
    func forwarded(_ value: String, _ expected: String?) throws {
        #expect(try caller([("Forwarded", value)]) == expected)
    }

    @Test("is the connection's other end unless that is a trusted proxy, whatever the headers say")
    func untrusted() throws {
        let headers = [("X-Forwarded-For", "192.0.2.1"), ("Forwarded", "for=192.0.2.2")]
        #expect(try caller(headers, peer: "203.0.113.5") == "203.0.113.5")
        #expect(try caller(headers, peer: "::ffff:10.0.0.1") == "192.0.2.2", "Forwarded takes precedence")
        #expect(try caller(headers, trusted: []) == "10.0.0.1")
        #expect(try caller([]) == "10.0.0.1")
        #expect(try caller(headers, peer: "") == nil)
    }

    @Test("lines of a header are read as one list")
    func lines() throws {
        #expect(try caller([("X-Forwarded-For", "192.0.2.1"), ("X-Forwarded-For", "10.3.3.3")]) == "192.0.2.1")
        #expect(try caller([("X-Forwarded-For", "192.0.2.1"), ("X-Forwarded-For", "192.0.2.2")]) == "192.0.2.2")
        #expect(try caller([("Forwarded", "for=192.0.2.1, for=\""), ("Forwarded", "for=10.3.3.3")]) == nil)
    }

    @Test("is what the proxy appends, whatever a client sent before it (invariant 10)", arguments: 1...4)
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let parts = [
            "for=", "For=\"", "\"", ",", ";", "=", " ", "\t", "[", "]", ":", "::1", "10.0.0.1", "192.0.2.7", "unknown",
            "_x", "\\", "é",
            "by=", "%", "\u{301}", "2001:db8::1", ":80",
        ]
        for _ in 0..<1_000 {
            let sent = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                Int.random(in: 0...3, using: &random) == 0
                    ? String(UnicodeScalar(UInt8.random(in: 0x20...0x7E, using: &random)))
                    : parts[Int.random(in: 0..<parts.count, using: &random)]
            }.joined()
            _ = try caller([("X-Forwarded-For", sent)])
            _ = try caller([("Forwarded", sent)])
            #expect(try caller([("X-Forwarded-For", sent + ", 203.0.113.9")]) == "203.0.113.9", "`\(sent)`")
            #expect(try caller([("Forwarded", sent + ", for=203.0.113.9")]) == "203.0.113.9", "`\(sent)`")
            #expect(
                try caller([("Forwarded", sent + ", for=\"[2001:db8::9]:1\", for=10.1.1.1")]) == "2001:db8::9",
                "`\(sent)`")
        }
    }

    @Test("decides where a key with networks may be used, and is in the refusal and the log")
    func networks() async throws {
        try await ServiceFixture.run(trustedProxies: [try IPNetwork("127.0.0.1/32")]) { service in
            let token = try await service.token(
                .marketing, networks: [try IPNetwork("192.0.2.0/24"), try IPNetwork("2001:db8::/32")])
            func ask(_ forwarded: String?) async throws -> RawAnswer {
                try await service.ask(
                    "GET", "/v1/offers", token: token, headers: forwarded.map { [("X-Forwarded-For", $0)] } ?? [])
            }
            for inside in ["192.0.2.1", "::ffff:192.0.2.255", "2001:db8::1", "203.0.113.1, 192.0.2.1"] {
                #expect(try await ask(inside).code != "address-not-allowed", "\(inside)")
            }
            for (outside, seen) in [
                ("192.0.3.1", "192.0.3.1"), ("192.0.2.1, 203.0.113.1", "203.0.113.1"), (nil, "127.0.0.1"),
            ] {
                let answer = try await ask(outside)
                #expect(answer.status == 403 && answer.code == "address-not-allowed")
                #expect(answer.json["detail"] as? String == "the API key may not be used from `\(seen)`")
                let line = try #require(service.log.lines.last { $0.hasPrefix("info answered") })
                #expect(line.contains("client=\(seen) ") && !line.contains("role="), "\(line)")
                #expect(line.contains("key.id=\(token.split(separator: "_")[3]) "), "\(line)")
            }
            let unknown = try await ask("unknown")
            #expect(unknown.status == 403 && unknown.code == "address-not-allowed")
            #expect(unknown.json["detail"] as? String == "the API key may not be used from an unknown address")
            #expect((unknown.json["hint"] as? String)?.hasPrefix("make the trusted proxy add") == true)
            let line = try #require(service.log.lines.last { $0.hasPrefix("info answered") })
            #expect(!line.contains("client="), "\(line)")
        }
    }

    @Test("is the connection's where no proxy is trusted, so a header opens no network")
    func noProxies() async throws {
        try await ServiceFixture.run { service in
            let headers = [("X-Forwarded-For", "192.0.2.1"), ("Forwarded", "for=192.0.2.1")]
            let far = try await service.token(.marketing, networks: [try IPNetwork("192.0.2.0/24")])
            #expect(
                try await service.ask("GET", "/v1/offers", token: far, headers: headers).code == "address-not-allowed")
            let near = try await service.token(.marketing, networks: [try IPNetwork("127.0.0.0/8")])
            #expect(
                try await service.ask("GET", "/v1/offers", token: near, headers: headers).code != "address-not-allowed")
        }
    }
}
