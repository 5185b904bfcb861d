import AppStoreServer
import OfferModel
import OfferTestSupport
import Testing

@Suite struct EnvironmentTests {
    private let good = AppleServer.Reply.answer(200, #"{"signedAppTransactionInfo":"t"}"#)

    private func ask(
        _ home: AppleServer.Reply, _ other: AppleServer.Reply, isAllowed: Bool = true
    ) async throws -> (answer: AppStoreAnswer<String>?, error: AppStoreServerError?, asked: [Int]) {
        try await AppleServer.run(answering: [home]) { production in
            try await AppleServer.run(answering: [other]) { sandbox in
                try await withClient(of: production, otherServer: isAllowed ? sandbox : nil) { client in
                    var answer: AppStoreAnswer<String>?
                    let error = await failure { () throws(AppStoreServerError) in
                        answer = try await client.signedAppTransaction(of: "70")
                    }
                    return (answer, error, [production.seen.count, sandbox.seen.count])
                }
            }
        }
    }

    @Test("an id unknown in one environment is asked for in the other where that is allowed, and the answer says so")
    func other() async throws {
        let found = try await ask(.error(4_040_010), good)
        #expect(found.answer?.environment == .sandbox)
        #expect(found.answer?.value == "t")
        #expect(found.asked == [1, 1])
        let home = try await ask(good, good)
        #expect(home.answer?.environment == .production)
        #expect(home.asked == [1, 0])
    }

    @Test("the other environment is not asked unless that is allowed")
    func notAllowed() async throws {
        let result = try await ask(.error(4_040_010), good, isAllowed: false)
        #expect(result.error?.errorCode == .transactionIdNotFound)
        #expect(result.asked == [1, 0])
    }

    @Test(
        "the other environment is asked for an unknown transaction alone",
        arguments: [4_000_006, 4_040_001, 4_040_005, 4_040_019, 5_000_000] as [Int64])
    func otherCodes(code: Int64) async throws {
        let result = try await ask(.error(code), good)
        #expect(result.error?.errorCode?.rawValue == code)
        #expect(result.asked == [1, 0])
    }

    @Test("unknown in both is one error that names both; a failure of the other is its own")
    func unknownInBoth() async throws {
        let both = try await ask(.error(4_040_010), .error(4_040_010))
        #expect(
            both.error?.message
                == "Apple knows no such transaction of `com.example.pro` in Production nor in Sandbox (4040010)")
        #expect(both.error?.attempts == 2)
        let failed = try await ask(.error(4_040_010), .answer(401, ""))
        #expect(failed.error?.code == .unauthenticated)
    }

    @Test("a history found in the other environment has all its pages from there")
    func history() async throws {
        try await AppleServer.run(answering: [.error(4_040_010)]) { production in
            try await AppleServer.run(answering: [
                historyPage(["a"], revision: "r", hasMore: true), historyPage(["b"], revision: "s", hasMore: false),
            ]) { sandbox in
                let answer = try await withClient(of: production, otherServer: sandbox) {
                    try await $0.transactionHistory(of: "70")
                }
                #expect(answer.environment == .sandbox)
                #expect(answer.value.signedTransactions == ["a", "b"])
                #expect(production.seen.count == 1)
                #expect(sandbox.seen.count == 2)
            }
        }
    }
}
