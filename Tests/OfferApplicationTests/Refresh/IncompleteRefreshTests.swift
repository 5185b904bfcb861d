import AppStoreServer
import LocalAppStore
import OfferAPI
import OfferModel
import OfferSigning
import OfferTestSupport
import Testing

@testable import OfferApplication

@Suite("Fetching a customer from Apple, where not everything is good")
struct IncompleteRefreshTests {
    @Test(
        "one JWS that is not believed is told and not kept, the others are, and the history is not complete (invariant 3)"
    )
    func oneRefused() async throws {
        try await AppleStage.run { stage in
            let shop = stage.bench.shop
            let first = try shop.delivery(.lapsed, "100")
            let good = try #require(first.signedTransactions.first)
            let elsewhere = try shop.edited(good) {
                $0["transactionId"] = "101"
                $0["environment"] = "Sandbox"
            }
            let broken = try shop.edited(good) { $0["transactionId"] = "102" }.dropLast(8) + "AAAAAAAA"
            var account = PlayedAccount(first)
            account.transactions = [good, elsewhere, String(broken)]
            stage.apple.accounts = [account]
            let report = try await stage.refresh(named("100"))
            #expect(report.transactions[.added] == 1)
            #expect(report.transactions[.refused] == 2)
            #expect(
                report.refused.map(\.path) == ["/history/signedTransactions/1", "/history/signedTransactions/2"])
            #expect(report.refused.map(\.code) == ["wrongEnvironment", "badSignature"])
            #expect(report.gaps.map(\.code) == ["refusedData"])
            #expect(report.coverage.level == .partial)
            #expect(try await stage.known(named("100")).history.transactions.map(\.payload.transactionId) == ["100"])
        }
    }

    @Test("if nothing is believed nothing is kept, and the answer says why")
    func allRefused() async throws {
        try await AppleStage.run { stage in
            let sandbox = try stage.bench.shop.delivery(.lapsed, "100", environment: .sandbox)
            stage.apple.accounts = [PlayedAccount(sandbox)]
            let answer = try await refusal { try await stage.refresh(named("100")) }
            guard case .appStoreDataRefused(let refused) = answer else {
                return #expect(Bool(false), "\(answer as Any)")
            }
            #expect(refused.first?.refusal.code == .wrongEnvironment)
            #expect(try await stage.bench.count("history_transaction") == 0)
            #expect(try await stage.bench.count("customer") == 0)
        }
    }

    @Test(
        "a failure in the middle keeps nothing: no half of a history, and no half of a coverage (invariant 3)",
        arguments: ["revision=r20", "/inApps/v1/subscriptions/", "appTransactions"])
    func brokenMiddle(_ place: String) async throws {
        try await AppleStage.run { stage in
            let signed = try stage.longHistory(months: 25)
            stage.apple.accounts = [
                PlayedAccount(transactions: signed.signedTransactions, renewalInfos: signed.signedRenewalInfo)
            ]
            stage.apple.interpose { request, _ in request.uri.contains(place) ? .error(5_000_000, "oops") : nil }
            let failure = try await refusal { try await stage.refresh(named("7001")) }?.appleFailure
            #expect(failure?.error.errorCode == .generalInternal)
            #expect(failure?.isTransient == true)
            #expect(failure?.detail == "Apple's server cannot answer (5000000: oops)")
            for table in ["customer", "history_transaction", "history_renewal_info", "coverage"] {
                #expect(try await stage.bench.count(table) == 0, "\(table)")
            }
            stage.apple.interpose(nil)
            #expect(try await stage.refresh(named("7001")).coverage.level == .complete)
        }
    }

    @Test("more pages than are fetched at once are kept as far as they were, and are not all")
    func morePages() async throws {
        try await AppleStage.run(policy: CallPolicy { $0.maximumPages = 2 }) { stage in
            let signed = try stage.longHistory(months: 44)
            stage.apple.accounts = [PlayedAccount(transactions: signed.signedTransactions)]
            let report = try await stage.refresh(named("7001"))
            // Two pages of twenty, and the newest one, which comes with the status.
            #expect(report.transactions[.added] == 41)
            #expect(report.gaps.map(\.code) == ["morePages"])
            #expect(report.coverage.level == .partial)
        }
    }

    @Test(
        "what else is known of a tester is gone at Apple also when Apple was asked by the id of a renewal")
    func missingBesideRenewal() async throws {
        try await AppleStage.run { stage in
            let shop = stage.bench.shop
            let long = try stage.longHistory(months: 3)
            var other = try shop.delivery(.trialUsed, "200", complete: false)
            other.signedTransactions = try other.signedTransactions.map { jws in
                try shop.edited(jws) { $0["appTransactionId"] = "7" }
            }
            other.signedAppTransaction = nil
            try await stage.bench.deliver(SignedDelivery(signedTransactions: long.signedTransactions))
            try await stage.bench.deliver(other)
            stage.apple.accounts = [
                PlayedAccount(transactions: long.signedTransactions, renewalInfos: long.signedRenewalInfo)
            ]
            let newest = try #require(
                try await stage.known(named("7001")).history.transactions.map(\.payload)
                    .filter { $0.originalTransactionId == "7001" }.map(\.transactionId)
                    .max { $0.rawValue < $1.rawValue })
            #expect(newest != "7001")
            let report = try await stage.refresh(named(newest.rawValue))
            #expect(report.gaps.isEmpty, "of a tester it was cleared at Apple")
            let left = try await stage.known(named("7001")).history.transactions.map(\.payload.originalTransactionId)
            #expect(Set(left) == ["7001"])
        }
    }

    @Test("purchases that nothing signed proves to be one customer's are not all of either (invariant 3)")
    func severalCustomers() async throws {
        try await AppleStage.run { stage in
            let shop = stage.bench.shop
            func nameless(_ delivery: SignedDelivery) throws -> [String] {
                try delivery.signedTransactions.map { jws in
                    try shop.edited(jws) { $0["appTransactionId"] = nil }
                }
            }
            let transactions =
                try nameless(try shop.delivery(.lapsed, "100")) + nameless(try shop.delivery(.trialUsed, "200"))
            stage.apple.accounts = [PlayedAccount(transactions: transactions)]
            let report = try await stage.refresh(named("100"))
            #expect(report.customers.map(\.originalTransactionIds) == [["100"], ["200"]])
            #expect(report.gaps.map(\.code) == ["severalCustomers"])
            #expect(try await stage.known(named("100")).history.coverage.level == .partial)
        }
    }

    @Test(
        "a subscription that Apple's history lacks is a gap, but for testers, whose history can be cleared (invariant 3)",
        arguments: [(AppStoreEnvironment.production, true), (.sandbox, false), (.localTesting, false), (.xcode, true)])
    func lacking(environment: AppStoreEnvironment, isGap: Bool) {
        let gaps = KeptAccount.gaps(FetchedAccount(), ["100"], owners: [], in: environment)
        #expect(gaps == (isGap ? [.missingSubscription] : []))
    }

    @Test(
        "a known subscription that Apple's history lacks is asked for by its own id; if Apple knows none of a tester's, it is forgotten"
    )
    func missingSubscription() async throws {
        try await AppleStage.run { stage in
            let shop = stage.bench.shop
            let first = try shop.delivery(.lapsed, "100", complete: false)
            var second = try shop.delivery(.trialUsed, "200", complete: false)
            second.signedTransactions = try second.signedTransactions.map { jws in
                try shop.edited(jws) { $0["appTransactionId"] = "app-100" }
            }
            second.signedAppTransaction = nil
            try await stage.bench.deliver(first)
            try await stage.bench.deliver(second)
            stage.apple.accounts = [PlayedAccount(first)]
            let without = try await stage.refresh(named("100"))
            #expect(without.gaps.isEmpty && without.coverage.level == .complete)
            let left = try await stage.known(named("100")).history.transactions.map(\.payload.originalTransactionId)
            #expect(Set(left) == ["100"])
            #expect(stage.asked.contains("/inApps/v2/history/200"))
            stage.apple.accounts = [PlayedAccount(first), PlayedAccount(second)]
            let with = try await stage.refresh(named("100"))
            #expect(with.gaps.isEmpty)
            #expect(with.coverage.level == .complete)
        }
    }

    @Test("data that Apple has only in the other environment is unknown here, by its name, and not stored")
    func otherEnvironment() async throws {
        let sandbox = PlayedAppStore()
        try await AppleStage.run(elsewhere: sandbox) { stage in
            sandbox.accounts = [
                PlayedAccount(try stage.bench.shop.delivery(.lapsed, "100", environment: .sandbox))
            ]
            let answer = try await refusal { try await stage.refresh(named("100")) }
            #expect(answer?.unknownToApple == "`100` is of Sandbox, not of LocalTesting")
            #expect(try await stage.bench.count("history_transaction") == 0)
        }
    }

    @Test("Apple's limit is told with the moment that Apple names, and nobody is kept waiting for it")
    func limited() async throws {
        try await AppleStage.run { stage in
            let end = Workbench.start.adding(milliseconds: 90_500)
            stage.apple.interpose { _, _ in
                .error(4_290_000, "Rate limit exceeded.", ["Retry-After": String(end.milliseconds)])
            }
            let failure = try await refusal { try await stage.refresh(named("100")) }?.appleFailure
            #expect(failure?.isTransient == true)
            #expect(failure?.secondsToWait == 91)
            #expect(stage.server.seen.count == 1)
            #expect(stage.time.waits.isEmpty)
        }
    }

    @Test("a server that never answers is given up in time (invariant 10)", arguments: [true, false])
    func silent(fromTheFirstByte: Bool) async throws {
        let policy = CallPolicy {
            $0.attempts = 2
            $0.requestMilliseconds = 50
        }
        try await AppleStage.run(policy: policy) { stage in
            stage.apple.interpose { _, _ in fromTheFirstByte ? .silence : .stall }
            let failure = try await refusal { try await stage.refresh(named("100")) }?.appleFailure
            #expect(failure?.error.code == .timedOut)
            #expect(failure?.error.attempts == 2)
            #expect(failure?.isTransient == true)
        }
    }

    @Test("a key that Apple does not accept is for somebody to set right, and never shown (invariant 9)")
    func wrongKey() async throws {
        try await AppleStage.run { stage in
            stage.apple.interpose { _, _ in .answer(401, "") }
            let failure = try await refusal { try await stage.refresh(named("100")) }?.appleFailure
            #expect(failure?.isTransient == false)
            #expect(failure?.detail.hasPrefix("Apple does not accept the key `2X9R4HXF34`") == true)
            let token = try #require(stage.server.seen.first?.token)
            #expect(!"\(failure as Any)".contains(token))
        }
    }
}
