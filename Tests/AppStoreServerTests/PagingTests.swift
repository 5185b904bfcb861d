import AppStoreData
import AppStoreServer
import LocalAppStore
import OfferModel
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite struct PagingTests {
    @Test("a history is fetched page after page by each page's revision")
    func pages() async throws {
        try await AppleServer.run(answering: [
            historyPage(["a", "b"], revision: "r/1", hasMore: true), historyPage(["c"], revision: "r2", hasMore: true),
            historyPage(["b"], revision: "r3", hasMore: false),
        ]) { server in
            let answer = try await withClient(of: server) { try await $0.transactionHistory(of: "70") }
            #expect(answer.value.signedTransactions == ["a", "b", "c", "b"])
            #expect(answer.value.revision == "r3")
            #expect(!answer.value.hasMore)
            #expect(answer.environment == .production)
            let path = "/inApps/v2/history/70"
            #expect(server.seen.map(\.uri) == [path, "\(path)?revision=r%2F1", "\(path)?revision=r2"])
        }
    }

    @Test("a history stops after so many pages, and says that there are more")
    func bounded() async throws {
        try await AppleServer.run({ _, place in
            historyPage(["t\(place)"], revision: "r\(place)", hasMore: true)
        }) { server in
            let answer = try await withClient(of: server, policy: CallPolicy { $0.maximumPages = 3 }) {
                try await $0.transactionHistory(of: "70").value
            }
            #expect(answer.signedTransactions == ["t0", "t1", "t2"])
            #expect(answer.hasMore)
            #expect(answer.revision == "r2")
            #expect(server.seen.count == 3)
        }
    }

    @Test("a history that stays at one revision is given up, not followed for ever (invariant 10)")
    func endless() async throws {
        try await AppleServer.run(answering: [historyPage(["a"], revision: "r", hasMore: true)]) { server in
            let error = try await withClient(of: server) { client in
                await failure { () throws(AppStoreServerError) in try await client.transactionHistory(of: "70") }
            }
            #expect(error?.code == .unreadableAnswer)
            #expect(error?.message == "Apple's history repeats revision `r` without end")
            #expect(server.seen.count == 2)
        }
    }

    @Test("an error in the middle of a history is an error of the whole: no part of it counts as all (invariant 3)")
    func brokenMiddle() async throws {
        try await AppleServer.run(answering: [
            historyPage(["a"], revision: "r", hasMore: true), .error(4_000_005),
        ]) { server in
            let error = try await withClient(of: server) { client in
                await failure { () throws(AppStoreServerError) in try await client.transactionHistory(of: "70") }
            }
            #expect(error?.errorCode == .invalidRequestRevision)
        }
    }

    @Test("responses are verified by the reader that verifies everything else (invariant 6)")
    func verified() async throws {
        let root = try LocalRoot.make(now: TestTime.start)
        let bought = ScenarioStep.buy(
            product: "p", group: "g", at: .ago(Period(days: 40)), period: Period(months: 1),
            price: Money(milliunits: 9_990, currency: "USD"))
        let scenario = Scenario(
            bundleId: "com.example.pro", environment: .sandbox, customer: ScenarioCustomer(appTransactionId: "7"),
            steps: [bought, .renew()])
        let signed = try LocalAppStore(root: root).sign(scenario, now: TestTime.start)
        let reader = SignedDataReader(
            verifier: try AppStoreChainVerifier(additionalRoots: [.sandbox: [root.rootDER]]),
            bundleId: "com.example.pro", appAppleId: nil, environment: .sandbox)
        try await AppleServer.run(answering: [
            historyPage(signed.signedTransactions, revision: "r", hasMore: false)
        ]) { server in
            let answer = try await withClient(of: server, environment: .sandbox) {
                try await $0.transactionHistory(of: "7001")
            }
            let ids = try answer.value.signedTransactions.map {
                try reader.transaction($0, now: TestTime.start).payload.transactionId
            }
            #expect(ids == ["7001", "7002"])
        }
    }
}
