import OfferModel
import OfferTestSupport
import Testing

@testable import AppStoreServer

@Suite struct PaceTests {
    @Test(
        "calls keep to Apple's limits: so many in each second, a tenth of it in the sandbox",
        arguments: [
            (CallClass.transactionHistory, AppStoreEnvironment.production, 50), (.orderLookup, .production, 10),
            (.appTransactionInfo, .production, 10), (.subscriptionStatuses, .sandbox, 5), (.orderLookup, .sandbox, 1),
        ])
    func limits(calls: CallClass, environment: AppStoreEnvironment, perSecond: Int) {
        let pace = RateLimiter(AppleRateLimits.apple(environment))
        var clock: Int64 = 0
        var turns: [Int64] = []
        for _ in 0..<(perSecond * 20) {
            clock += pace.reserve(calls, at: clock, waitingAtMost: .max)
            turns.append(clock)
        }
        for start in stride(from: 0, through: turns.last ?? 0, by: 500) {
            let inSecond = turns.count { (start..<(start + 1_000)).contains($0) }
            #expect(inSecond <= perSecond * 2, "\(start)")
            let inTen = turns.count { (start..<(start + 10_000)).contains($0) }
            #expect(inTen <= perSecond * 11, "\(start)")
        }
        let all = Int64(perSecond * 20 - perSecond) * 1_000 / Int64(perSecond)
        #expect(abs((turns.last ?? 0) - all) <= 1_000)
    }

    @Test("a turn that would come too late is not taken")
    func tooLate() {
        let pace = RateLimiter(AppleRateLimits.apple(.sandbox))
        #expect(pace.reserve(.orderLookup, at: 0, waitingAtMost: 0) == 0)
        #expect(pace.reserve(.orderLookup, at: 0, waitingAtMost: 999) == 1_000)
        #expect(pace.reserve(.orderLookup, at: 0, waitingAtMost: 1_000) == 1_000)
        #expect(pace.reserve(.orderLookup, at: 0, waitingAtMost: 5_000) == 2_000)
        #expect(pace.reserve(.appTransactionInfo, at: 0, waitingAtMost: 0) == 0)
    }

    @Test("after a pause no more than one second's calls are made at once")
    func burst() {
        let pace = RateLimiter(AppleRateLimits.apple(.production))
        _ = pace.reserve(.orderLookup, at: 0, waitingAtMost: .max)
        let waits = (0..<12).map { _ in pace.reserve(.orderLookup, at: 1_000_000, waitingAtMost: .max) }
        #expect(waits == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 200])
    }

    @Test("a share of the limits is a slower pace, never a standstill", arguments: [(50, 40), (1, 2_000), (0, 2_000)])
    func share(percent: Int, interval: Int64) {
        let limits = AppleRateLimits.apple(.production).share(percent: percent)
        #expect(limits.intervalMilliseconds(.transactionHistory) == interval)
    }

    @Test("a call whose turn comes after its time is refused without a request, and says when it would come")
    func refused() async throws {
        try await AppleServer.run(answering: [.answer(200, #"{"status":1}"#)]) { server in
            let time = TestTime()
            try await withClient(
                of: server, environment: .sandbox, policy: CallPolicy { $0.totalMilliseconds = 900 }, time: time
            ) { client in
                _ = try await client.order("M")
                let error = await failure { () throws(AppStoreServerError) in
                    try await client.order("M")
                }
                #expect(error?.code == .rateLimited)
                #expect(error?.retryAt == TestTime.start.adding(milliseconds: 1_000))
                #expect(error?.attempts == 0)
                #expect(server.seen.count == 1)
                #expect(time.waits == [])
            }
        }
    }

    @Test("a client with other patience keeps the same pace")
    func shared() async throws {
        try await AppleServer.run(answering: [.answer(200, #"{"status":1}"#)]) { server in
            let time = TestTime()
            try await withClient(of: server, environment: .sandbox, time: time) { client in
                _ = try await client.order("M")
                _ = try await client.with(.patient).order("M")
                #expect(time.waits == [1_000])
            }
        }
    }
}
