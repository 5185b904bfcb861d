import Foundation
import LocalAppStore
import OfferApplication
import OfferModel
import OfferTestSupport
import Synchronization
import Testing

@testable import OfferHTTP

@Suite("Requests that anyone can send (invariant 10)")
struct StrangerTests {
    private static let path = ServiceFixture.notificationsPath

    /// Bodies that cost far more than their bytes: unknown members, escapes, names with slashes, long lists, a header
    /// with thousands of certificates, and a payload with thousands of members.
    private static let costly: [String] = {
        let list = { (count: Int, element: String) in repeatElement(element, count: count).joined(separator: ",") }
        let members = { (count: Int, prefix: String) in
            (0..<count).map { "\"\(prefix)\($0)\":0" }.joined(separator: ",")
        }
        func jws(_ header: String, _ payload: String) -> String {
            let parts = [header, payload].map {
                Data($0.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                    .replacing("=", with: "")
            }
            return "{\"signedPayload\":\"\(parts[0]).\(parts[1]).AA\"}"
        }
        return [
            "{\(members(20_000, ""))}", "{\(members(15_000, "/"))}", "{\"a\":[\(list(100_000, "0"))]}",
            "{\"signedPayload\":\"\(String(repeating: "\\u0041", count: 43_000))\"}",
            jws("{\"alg\":\"ES256\",\"x5c\":[\(list(20_000, "\"\""))]}", "{}"),
            jws("{\"alg\":\"ES256\"}", "{\(members(14_000, "m")),\"notificationUUID\":\"1\",\"signedDate\":1}"),
        ]
    }()

    private final class Count: Sendable {
        let value = Atomic(0)
    }

    /// How many of many costly requests are answered when a decision is, that was asked for after them.
    private func answered(
        before decision: @escaping @Sendable () async throws -> RawAnswer, of count: Int,
        _ costly: @escaping @Sendable (Int) async throws -> RawAnswer
    ) async throws -> Int {
        let done = Count()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    let answer = try await costly(number)
                    #expect([400, 422].contains(answer.status), "\(answer.text.prefix(300))")
                    done.value.add(1, ordering: .relaxed)
                }
            }
            // Until the first is answered, all may still be on their way.
            _ = try await group.next()
            let answer = try await decision()
            let before = done.value.load(ordering: .relaxed)
            #expect(answer.status == 200, "\(answer.text)")
            try await group.waitForAll()
            return before
        }
    }

    @Test("a decision does not wait for what strangers send (fault: their bodies were decoded on the shared pool)")
    func besideStrangers() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let client = try await service.token(.client)
            let before = try await answered(
                before: {
                    try await service.ask(
                        "POST", "/v1/decisions", token: client, body: #"{"customer":{"customerId":"anna"}}"#)
                }, of: 120
            ) { try await service.ask("POST", Self.path, body: Self.costly[$0 % Self.costly.count]) }
            #expect(before < 60)
        }
    }

    @Test("a decision for the backend does not wait for what holders of an `app` key send")
    func besideApps() async throws {
        try await AppWorld.run { world in
            let client = try await world.service.token(.client)
            let before = try await answered(
                before: {
                    try await world.service.ask(
                        "POST", "/v1/decisions", token: client, body: #"{"customer":{"customerId":"anna"}}"#)
                }, of: 120
            ) {
                try await world.service.ask(
                    "POST", "/v1/decisions", token: world.app, body: Self.costly[$0 % Self.costly.count])
            }
            #expect(before < 60)
        }
    }

    @Test("what strangers send is bounded by address and by size, and what Apple signed costs nothing")
    func budget() async throws {
        let time = TestTime()
        var limits = RateLimits.off
        limits.address = RateLimit(perSecond: 2, burst: 16)
        let rates = RequestRates(limits) { time.now }
        try await ServiceFixture.run(rates: rates, trustedProxies: [try IPNetwork("127.0.0.0/8")]) { service in
            func send(_ body: String, from address: String = "192.0.2.1") async throws -> RawAnswer {
                try await service.ask(
                    "POST", Self.path, body: body,
                    headers: [("X-Forwarded-For", address), ("Content-Type", "application/json")])
            }
            func genuine(_ id: String) throws -> String {
                "{\"signedPayload\":\"\(try #require(try service.lapsedCustomer(id).notifications.first))\"}"
            }
            // Of 40 deliveries, each again, none takes anything.
            for number in 1...40 {
                let body = try genuine("\(number)")
                for _ in 1...2 { #expect(try await send(body).status == 200) }
            }
            // 256 KiB take eight tokens.
            let long = "{\"signedPayload\":\"\(String(repeating: "a", count: 262_000))\"}"
            for _ in 1...2 { #expect(try await send(long).status == 422) }
            for body in [long, "{}", try genuine("1")] {
                let refused = try await send(body)
                #expect(refused.status == 503 && refused.code == "busy", "\(refused.text)")
                #expect((refused.json["detail"] as? String)?.contains("did not sign") == true)
                #expect(refused.headers["retry-after"].flatMap(Int.init).map { (1...5).contains($0) } == true)
            }
            #expect(try await send("{}", from: "192.0.2.2").status == 400, "another address has its own")
            time.advance(milliseconds: 500)
            #expect(try await send("{}").status == 400)
            #expect(try await send("{}").status == 503)
            #expect(try await send("{}", from: "2001:db8::1").status == 400)
            // Together they may send ten times as much as one.
            for number in 3...21 { _ = try await send(long, from: "192.0.2.\(number)") }
            #expect(try await send(long, from: "192.0.2.99").status == 503)
        }
    }

    @Test("what is beyond the bound is refused before its body is read")
    func unread() async throws {
        var limits = RateLimits.off
        limits.address = RateLimit(perSecond: 1, burst: 8)
        let rates = RequestRates(limits) { 0 }
        try await ServiceFixture.run(rates: rates) { service in
            let head =
                "POST \(Self.path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 262144\r\n\r\n"
            #expect(try await service.ask("POST", Self.path, body: "{}").status == 400)
            let answer = try await RawConnection.use(port: service.port) { connection in
                connection.send(head)
                return try RawHTTP.parse(Array(try connection.read(until: #""urn:offerd:problem:busy"}"#).utf8))
            }
            #expect(answer.status == 503, "\(answer.text)")
        }
    }

    @Test("a long body with an `app` key takes as many tokens of its address as short ones of its size together")
    func weightOfApps() async throws {
        var limits = RateLimits.off
        limits.address = RateLimit(perSecond: 1, burst: 18)
        let rates = RequestRates(limits) { 0 }
        try await AppWorld.run(rates: rates) { world in
            let long = "\"signedTransactions\":[\"\(String(repeating: "a", count: 260_000))\"]"
            let first = try await world.ask("/v1/decisions", long)
            #expect(first.status == 422, "\(first.text)")
            #expect(try await world.ask("/v1/decisions", long).status == 422)
            for _ in 1...2 { #expect(try await world.ask("/v1/decisions", world.anna.proof).status == 200) }
            let rejected = try await world.ask("/v1/decisions", world.anna.proof)
            #expect(rejected.status == 429 && rejected.headers["ratelimit-policy"] == #""address";q=18;w=18"#)
        }
    }

    @Test("a request without a length counts as the longest")
    func unknownLength() async throws {
        var limits = RateLimits.off
        limits.address = RateLimit(perSecond: 1, burst: 8)
        let rates = RequestRates(limits) { 0 }
        try await ServiceFixture.run(rates: rates) { service in
            let answer = try await RawConnection.use(port: service.port) { connection in
                connection.send(
                    "POST \(Self.path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
                return try RawHTTP.parse(try connection.readToEnd())
            }
            #expect(answer.status == 400, "\(answer.text)")
            #expect(try await service.ask("POST", Self.path, body: "{}").status == 503)
        }
    }

    @Test("a crowd beyond its limit is answered one after the other, a lone caller at once")
    func pace() async {
        let pace = RefusalPace()
        let start = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<41 { group.addTask { await pace.turn() } }
        }
        #expect(ContinuousClock.now - start >= .milliseconds(200))
    }
}
