import OfferModel
import OfferSigning
import OfferTestSupport
import Testing

@testable import AppStoreData

@Suite struct ExpectedClaimsTests {
    private let signed = Instant(milliseconds: 1_767_225_600_000)

    private func appTransaction(_ change: (inout AppTransaction) -> Void) -> AppTransaction {
        var made = AppTransaction(bundleId: "com.example.pro", receiptCreationDate: signed)
        made.appAppleId = 1_234_567_890
        made.receiptType = "Production"
        change(&made)
        return made
    }

    private func refusal(_ appTransaction: AppTransaction, by claims: ExpectedClaims) -> SignedDataRefusal? {
        AppStoreDataTests.refusal { () throws(SignedDataRefusal) in try claims.check(appTransaction) }
    }

    @Test("in Production an app id that is named must be the app's")
    func appAppleId() {
        let claims = ExpectedClaims(
            bundleId: "com.example.pro", appAppleId: 1_234_567_890, environment: .production)
        #expect(refusal(appTransaction { _ in }, by: claims) == nil)
        #expect(refusal(appTransaction { $0.appAppleId = nil }, by: claims) == nil)
        #expect(
            refusal(appTransaction { $0.appAppleId = 7 }, by: claims)
                == SignedDataRefusal(.wrongAppAppleId, "`appAppleId` is `7`, expected `1234567890`"))
    }

    @Test("in Production an app id that is named needs a configured one to be held against")
    func unconfiguredAppAppleId() {
        let claims = ExpectedClaims(bundleId: "com.example.pro", appAppleId: nil, environment: .production)
        #expect(
            refusal(appTransaction { _ in }, by: claims)
                == SignedDataRefusal(
                    .wrongAppAppleId, "`appAppleId` is `1234567890`, and the configuration has none"))
    }

    @Test("outside Production the app id is not compared")
    func sandboxAppAppleId() {
        let claims = ExpectedClaims(bundleId: "com.example.pro", appAppleId: 1, environment: .sandbox)
        #expect(refusal(appTransaction { $0.receiptType = "Sandbox" }, by: claims) == nil)
    }

    @Test("data that names another environment, or none, is refused (invariant 6)")
    func environment() {
        let claims = ExpectedClaims(bundleId: "com.example.pro", appAppleId: nil, environment: .production)
        let sandbox = Transaction.fixture("1", purchased: signed) { $0.environment = "Sandbox" }
        let silent = RenewalInfo.fixture("1", signed: signed) { $0.environment = nil }
        #expect(
            AppStoreDataTests.refusal { () throws(SignedDataRefusal) in try claims.check(sandbox) }
                == SignedDataRefusal(.wrongEnvironment, "`environment` is `Sandbox`, expected `Production`"))
        #expect(
            AppStoreDataTests.refusal { () throws(SignedDataRefusal) in try claims.check(silent) }
                == SignedDataRefusal(.wrongEnvironment, "`environment` is absent, expected `Production`"))
        #expect(
            refusal(appTransaction { $0.receiptType = "production" }, by: claims)
                == SignedDataRefusal(.wrongEnvironment, "`receiptType` is `production`, expected `Production`"))
    }

    @Test("data of another app is refused, also where only the case differs")
    func bundleId() {
        let claims = ExpectedClaims(bundleId: "com.example.pro", appAppleId: nil, environment: .localTesting)
        let other = Transaction.fixture("1", purchased: signed) { $0.bundleId = "com.example.Pro" }
        #expect(
            AppStoreDataTests.refusal { () throws(SignedDataRefusal) in try claims.check(other) }
                == SignedDataRefusal(.wrongBundleId, "`bundleId` is `com.example.Pro`, expected `com.example.pro`"))
    }
}
