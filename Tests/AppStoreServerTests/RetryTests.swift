import AppStoreServer
import OfferModel
import OfferTestSupport
import Testing

@Suite struct RetryTests {
    private let good = AppleServer.Reply.answer(200, #"{"signedAppTransactionInfo":"t"}"#)

    /// Asks for one transaction; the error, the waits and the number of requests.
    private func ask(
        _ replies: [AppleServer.Reply], policy: CallPolicy = CallPolicy(), jitterIsLargest: Bool = true
    ) async throws -> (error: AppStoreServerError?, waits: [Int64], requests: Int) {
        let time = TestTime()
        return try await AppleServer.run(answering: replies) { server in
            let error = try await withClient(
                of: server, policy: policy, time: time, jitterIsLargest: jitterIsLargest
            ) { client in
                await failure { () throws(AppStoreServerError) in try await client.signedAppTransaction(of: "70") }
            }
            return (error, time.waits, server.seen.count)
        }
    }

    @Test(
        "only what Apple calls retryable is asked again",
        arguments: [4_040_002, 4_040_004, 4_040_006, 5_000_001, 4_290_000] as [Int64])
    func retryable(code: Int64) async throws {
        let result = try await ask([.error(code), .error(code), good])
        #expect(result.error == nil)
        #expect(result.requests == 3)
        let given = try await ask([.error(code)])
        #expect(given.error?.errorCode?.rawValue == code)
        #expect(given.error?.attempts == 3)
        #expect(given.requests == 3)
    }

    @Test("a gateway without a code of Apple's is asked again, a server that failed is not")
    func gateways() async throws {
        for status in [502, 503, 504, 429] {
            #expect(try await ask([.answer(status, "<html>"), good]).error == nil, "\(status)")
        }
        for status in [500, 501, 505] {
            #expect(try await ask([.answer(status, "<html>"), good]).requests == 1, "\(status)")
        }
        let final = try await ask([.answer(503, #"{"errorCode":5000000}"#), good])
        #expect(final.error?.errorCode == .generalInternal)
        #expect(final.requests == 1)
    }

    @Test("the waits double up to a bound, and chance takes up to half of each")
    func backoff() async throws {
        let policy = CallPolicy {
            $0.attempts = 6
            $0.totalMilliseconds = 60_000
            $0.firstBackoffMilliseconds = 400
            $0.longestBackoffMilliseconds = 2_000
        }
        #expect(try await ask([.error(5_000_001)], policy: policy).waits == [400, 800, 1_600, 2_000, 2_000])
        let short = try await ask([.error(5_000_001)], policy: policy, jitterIsLargest: false)
        #expect(short.waits == [200, 400, 800, 1_000, 1_000])
        #expect(short.requests == 6)
    }

    @Test("calls that must be done within one time share it")
    func shared() async throws {
        let time = TestTime()
        try await AppleServer.run(answering: [.error(5_000_001), good, .error(5_000_001), good]) { server in
            try await withClient(of: server, policy: CallPolicy { $0.firstBackoffMilliseconds = 500 }, time: time) {
                client in
                let limited = client.within(milliseconds: 800)
                let first = await failure { () throws(AppStoreServerError) in
                    try await limited.signedAppTransaction(of: "70")
                }
                #expect(first == nil)
                let second = await failure { () throws(AppStoreServerError) in
                    try await limited.signedAppTransaction(of: "70")
                }
                #expect(second?.attempts == 1)
                #expect(time.waits == [500])
                #expect(server.seen.count == 3)
            }
        }
    }

    @Test("Apple's Retry-After is a moment in milliseconds, another server's so many seconds")
    func retryAfter() async throws {
        let moment = TestTime.start.milliseconds + 7_000
        let apple = try await ask(
            [.error(4_290_000, "", ["Retry-After": "\(moment)"]), good], jitterIsLargest: false)
        #expect(apple.error == nil)
        #expect(apple.waits == [7_000])
        let jittered = try await ask([.error(4_290_000, "", ["Retry-After": "\(moment)"]), good])
        #expect(jittered.waits == [7_250])
        let seconds = try await ask(
            [.answer(503, "", ["Retry-After": "9"]), good], jitterIsLargest: false)
        #expect(seconds.waits == [9_000])
        let past = try await ask(
            [.error(4_290_000, "", ["Retry-After": "\(moment - 60_000)"]), good], jitterIsLargest: false)
        #expect(past.error == nil)
        #expect(past.waits == [])
    }

    @Test("a Retry-After beyond the call's time is handed on at once, without waiting")
    func retryAfterTooLate() async throws {
        let moment = TestTime.start.milliseconds + 3_600_000
        let result = try await ask([.error(4_290_000, "", ["Retry-After": "\(moment)"]), good])
        #expect(result.error?.code == .rateLimited)
        #expect(result.error?.retryAt == Instant(milliseconds: moment))
        #expect(result.waits == [])
        #expect(result.requests == 1)
        let never = try await ask([.error(4_290_000, "", ["Retry-After": "999999999999999"]), good])
        #expect(never.error?.code == .rateLimited)
        #expect(never.waits == [])
    }

    @Test(
        "a Retry-After that is no number is none (invariant 10)",
        arguments: ["", "soon", "-5", "1e9", "Wed, 21 Oct 2026 07:28:00 GMT", "99999999999999999999", "٣"])
    func noRetryAfter(text: String) async throws {
        let result = try await ask([.error(4_290_000, "", ["Retry-After": text]), good])
        #expect(result.error == nil)
        #expect(result.waits == [500])
    }

    @Test("a connection that ends early is tried again, but only so often")
    func dropped() async throws {
        for reply in [AppleServer.Reply.drop, .breakOff] {
            let recovered = try await ask([reply, good])
            #expect(recovered.error == nil)
            #expect(recovered.requests == 2)
            let lost = try await ask([reply])
            #expect(lost.error?.code == .unreachable)
            #expect(lost.error?.message.hasSuffix("ended the connection before the answer was complete") == true)
            #expect(lost.error?.attempts == 3)
        }
    }

    @Test("an answer that does not come, or not to its end, is given up in time")
    func slow() async throws {
        for reply in [AppleServer.Reply.silence, .stall] {
            let result = try await ask(
                [reply],
                policy: CallPolicy {
                    $0.attempts = 2
                    $0.requestMilliseconds = 60
                })
            #expect(result.error?.code == .timedOut)
            #expect(result.error?.attempts == 2)
            let recovered = try await ask(
                [reply, good],
                policy: CallPolicy {
                    $0.attempts = 2
                    $0.requestMilliseconds = 1_000
                })
            #expect(recovered.error == nil)
        }
    }

    @Test("a call ends with its own time, however many attempts are left")
    func deadline() async throws {
        let policy = CallPolicy {
            $0.attempts = 100
            $0.totalMilliseconds = 2_000
            $0.firstBackoffMilliseconds = 400
        }
        let result = try await ask([.error(5_000_001)], policy: policy)
        #expect(result.waits == [400, 800])
        #expect(result.requests == 3)
        #expect(result.error?.errorCode == .generalInternalRetryable)
        let none = try await ask([good], policy: CallPolicy { $0.totalMilliseconds = 0 })
        #expect(none.error?.code == .timedOut)
        #expect(none.requests == 0)
    }

    @Test("nobody there is an error that names where")
    func unreachable() async throws {
        let server = try await AppleServer.run(answering: [good]) { $0 }
        let error = try await withClient(of: server) { client in
            await failure { () throws(AppStoreServerError) in try await client.signedAppTransaction(of: "70") }
        }
        #expect(error?.code == .unreachable)
        #expect(error?.message.hasPrefix("`\(server.address)` cannot be reached: ") == true)
        #expect(error?.message.contains("refused") == true, "\(error?.message ?? "")")
        #expect(error?.attempts == 3)
    }

    @Test("a call is cancelled in flight, and while it waits")
    func cancelled() async throws {
        let arrived = AsyncStream<Void>.makeStream()
        try await AppleServer.run({ _, _ in
            arrived.continuation.yield()
            return .silence
        }) { server in
            let error = try await withClient(of: server) { client in
                let task = Task {
                    await failure { () throws(AppStoreServerError) in try await client.signedAppTransaction(of: "70") }
                }
                for await _ in arrived.stream { break }
                task.cancel()
                return await task.value
            }
            #expect(error?.code == .cancelled)
            #expect(server.seen.count == 1)
        }
        let time = EndlessTime()
        try await AppleServer.run(answering: [.error(5_000_001)]) { server in
            let error = try await withClient(of: server, time: time) { client in
                let task = Task {
                    await failure { () throws(AppStoreServerError) in try await client.signedAppTransaction(of: "70") }
                }
                for await _ in time.began.stream { break }
                task.cancel()
                return await task.value
            }
            #expect(error?.code == .cancelled)
            #expect(error?.attempts == 1)
        }
    }
}
