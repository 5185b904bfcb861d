import Dispatch
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

    /// Requests that may take long, and the threads on which they do.
    enum Long: String, CaseIterable, Sendable {
        case unauthenticated, app, longBody

        fileprivate func threads(_ threads: RequestThreads) -> [WorkThread] {
            switch self {
            case .unauthenticated: [threads.strangers]
            case .app: threads.apps
            case .longBody: [threads.long]
            }
        }

        fileprivate func ask(_ world: AppWorld, client: String) async throws -> Int {
            switch self {
            case .unauthenticated: try await world.service.notify("a.b.c").status
            case .app: try await world.ask("/v1/decisions", world.anna.proof).status
            case .longBody:
                try await world.service.ask(
                    "POST", "/v1/transactions", token: client,
                    body: "{\"signedTransactions\":[\"\(String(repeating: "a", count: 300_000))\"]}"
                ).status
            }
        }
    }

    private final class Progress: Sendable {
        let isDone = Atomic(false)
    }

    @Test(
        "what anyone can send, and long bodies, keep no decision of a backend waiting (fault: they were decoded on the shared pool)",
        arguments: Long.allCases)
    func beside(_ long: Long) async throws {
        try await AppWorld.run { world in
            let client = try await world.service.token(.client)
            let threads = long.threads(world.service.threads)
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let end = DispatchSemaphore(value: 0)
            let held = threads.map { thread in
                Task(executorPreference: thread) {
                    begin.yield()
                    end.wait()
                }
            }
            var waiting = begun.makeAsyncIterator()
            for _ in threads { await waiting.next() }
            let progress = Progress()
            let asked = Task {
                let status = try await long.ask(world, client: client)
                progress.isDone.store(true, ordering: .sequentiallyConsistent)
                return status
            }
            for _ in 0..<20 {
                let decided = try await world.service.ask(
                    "POST", "/v1/decisions", token: client, body: #"{"customer":{"customerId":"anna"}}"#)
                #expect(decided.status == 200, "\(decided.text)")
            }
            let isDone = progress.isDone.load(ordering: .sequentiallyConsistent)
            #expect(!isDone)
            for _ in threads { end.signal() }
            for task in held { await task.value }
            #expect(try await asked.value == (long == .app ? 200 : 422))
        }
    }

    /// What exceeds a budget waits for ever in these tests, unless they say otherwise.
    private static var strict: HTTPLimits {
        var limits = HTTPLimits.patient
        limits.exceedingInterval = .seconds(86_400)
        return limits
    }

    @Test("requests that are not the App Store's are bounded by address and size, and its own cost nothing")
    func budget() async throws {
        let time = TestTime()
        var limits = RateLimits.off
        limits.address = RateLimit(perSecond: 2, burst: 16)
        let rates = RequestRates(limits) { time.now }
        try await ServiceFixture.run(
            limits: Self.strict, rates: rates, trustedProxies: [try IPNetwork("127.0.0.0/8")]
        ) { service in
            func send(_ body: String, from address: String = "192.0.2.1") async throws -> RawAnswer {
                try await service.ask(
                    "POST", Self.path, body: body,
                    headers: [("X-Forwarded-For", address), ("Content-Type", "application/json")])
            }
            // Of 40 deliveries, each again, none takes anything.
            for number in 1...40 {
                let jws = try #require(try service.lapsedCustomer("\(number)").notifications.first)
                for _ in 1...2 { #expect(try await send("{\"signedPayload\":\"\(jws)\"}").status == 200) }
            }
            // 256 KiB take eight tokens.
            let long = "{\"signedPayload\":\"\(String(repeating: "a", count: 262_000))\"}"
            for _ in 1...2 { #expect(try await send(long).status == 422) }
            // The first of those beyond it has its turn at once.
            #expect(try await send("{}").status == 400)
            for body in [long, "{}"] {
                let refused = try await send(body)
                #expect(refused.status == 503 && refused.code == "busy", "\(refused.text)")
                #expect((refused.json["detail"] as? String)?.contains("not from the App Store") == true)
                #expect(refused.headers["retry-after"].flatMap(Int.init).map { (1...5).contains($0) } == true)
            }
            #expect(try await send("{}", from: "192.0.2.2").status == 400, "another address has its own")
            time.advance(milliseconds: 500)
            #expect(try await send("{}").status == 400)
            #expect(try await send("{}").status == 503)
            #expect(try await send("{}", from: "2001:db8::1").status == 400)
        }
    }

    @Test("all addresses together may send ten times as much as one")
    func together() async throws {
        var limits = RateLimits.off
        limits.address = RateLimit(perSecond: 1, burst: 8)
        let rates = RequestRates(limits) { 0 }
        try await ServiceFixture.run(
            limits: Self.strict, rates: rates, trustedProxies: [try IPNetwork("127.0.0.0/8")]
        ) { service in
            let long = "{\"signedPayload\":\"\(String(repeating: "a", count: 262_000))\"}"
            var statuses: [Int] = []
            for number in 1...13 {
                let answer = try await service.ask(
                    "POST", Self.path, body: long,
                    headers: [("X-Forwarded-For", "192.0.2.\(number)"), ("Content-Type", "application/json")])
                statuses.append(answer.status)
            }
            // Beyond the limit the first has its turn at once.
            #expect(statuses == [Int](repeating: 422, count: 11) + [503, 503])
        }
    }

    @Test("a delivery is accepted beside any amount that exceeds the limits, one after the other")
    func beyond() async throws {
        var limits = RateLimits.off
        limits.address = RateLimit(perSecond: 1, burst: 1)
        let rates = RequestRates(limits) { 0 }
        try await ServiceFixture.run(rates: rates) { service in
            #expect(try await service.ask("POST", Self.path, body: "{}").status == 400)
            let jws = try #require(try service.lapsedCustomer("1").notifications.first)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await service.ask("POST", Self.path, body: "{}").status }
                }
                group.addTask { try await service.notify(jws).status }
                let statuses = try await group.reduce(into: []) { $0.append($1) }
                #expect(statuses.sorted() == [200] + [Int](repeating: 400, count: 20))
            }
        }
    }

    /// The answer to the head of a request whose body does not come.
    private func answer(
        _ service: ServiceFixture, toBodyOf length: Int, _ code: String
    ) async throws -> RawAnswer {
        try await RawConnection.use(port: service.port) { connection in
            connection.send(
                "POST \(Self.path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(length)\r\n\r\n")
            return try RawHTTP.parse(
                Array(try connection.read(until: "\"urn:offerd:problem:\(code)\"}").utf8))
        }
    }

    @Test("a request beyond the bound is refused before its body is read, and one that is too long at once")
    func unread() async throws {
        var limits = RateLimits.off
        limits.address = RateLimit(perSecond: 1, burst: 16)
        let rates = RequestRates(limits) { 0 }
        try await ServiceFixture.run(limits: Self.strict, rates: rates) { service in
            let tooLong = try await answer(service, toBodyOf: 262_145, "too-large")
            #expect(tooLong.status == 413)
            // Nine tokens are gone; eight more are not there, and the one turn beyond is taken.
            let long = "{\"a\":\"\(String(repeating: "a", count: 262_000))\"}"
            #expect(try await service.ask("POST", Self.path, body: long).status == 400)
            #expect(try await answer(service, toBodyOf: 262_144, "busy").status == 503)
            #expect(try await answer(service, toBodyOf: 16_777_216, "busy").status == 503)
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
        try await ServiceFixture.run(limits: Self.strict, rates: rates) { service in
            let answer = try await RawConnection.use(port: service.port) { connection in
                connection.send(
                    "POST \(Self.path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
                return try RawHTTP.parse(try connection.readToEnd())
            }
            #expect(answer.status == 400, "\(answer.text)")
            // The first beyond the limit has its turn at once.
            #expect(try await service.ask("POST", Self.path, body: "{}").status == 400)
            #expect(try await service.ask("POST", Self.path, body: "{}").status == 503)
        }
    }

    @Test("a crowd gets one turn after the other, a lone client at once, and none waits longer than the longest wait")
    func pace() async {
        let pace = SpacedTurns(interval: .milliseconds(5))
        let start = ContinuousClock.now
        let inTime = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { await pace.turn(within: .milliseconds(200)) } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(ContinuousClock.now - start >= .milliseconds(200))
        #expect(inTime >= 41 && inTime < 100)
        let slow = SpacedTurns(interval: .seconds(3_600))
        #expect(await slow.turn(within: .zero))
        #expect(await !slow.turn(within: .zero))
    }
}
