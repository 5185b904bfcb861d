import Foundation
import LocalAppStore
import OfferApplication
import OfferModel
import OfferSigning

/// What a customer did before the test begins.
enum Scene: String, CaseIterable, Sendable {
    /// Has the app and never bought.
    case newcomer
    /// Used the trial and left.
    case trialUsed
    /// Bought ten days ago and goes on.
    case subscriber
    /// Bought, cancelled and lost access.
    case lapsed
    /// Should have renewed a month ago; nothing newer is known.
    case overdue
}

/// A development App Store that can also sign what no scenario says.
struct Shop: Sendable {
    let root: LocalRoot
    let clock: TestClock

    init(clock: TestClock) throws {
        root = try LocalRoot.make(now: Workbench.start)
        self.clock = clock
    }

    /// The signed data of a customer `<id>` with the Apple Account `app-<id>`.
    func delivery(
        _ scene: Scene, _ id: String, token: AppAccountToken? = nil, complete: Bool = true,
        app: BundleId = "com.example.pro", environment: AppStoreEnvironment = .localTesting
    ) throws -> SignedDelivery {
        let signed = try LocalAppStore(root: root).sign(
            Scenario(
                bundleId: app, environment: environment,
                customer: ScenarioCustomer(
                    appTransactionId: AppTransactionId("app-\(id)"), originalTransactionId: TransactionId(id),
                    appAccountToken: token),
                steps: steps(scene)), now: clock.now)
        return SignedDelivery(
            signedTransactions: signed.signedTransactions, signedRenewalInfo: signed.signedRenewalInfo,
            signedAppTransaction: signed.signedAppTransaction, historyComplete: complete)
    }

    /// Signs the payload of a JWS anew, changed.
    func edited(_ jws: String, _ change: (inout [String: Any]) -> Void) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(try CompactJWS(parsing: jws).payload))
        guard var payload = object as? [String: Any] else { throw CocoaError(.coderInvalidValue) }
        change(&payload)
        return try root.sign(payload: Array(try JSONSerialization.data(withJSONObject: payload, options: .sortedKeys)))
    }

    /// A purchase with a promotional offer, made from another transaction of the same subscription.
    func redemption(
        of offer: String, _ transactionId: String, like jws: String, at purchase: Instant, months: Int = 1,
        refundedAt: Instant? = nil
    ) throws -> String {
        let signed = clock.now
        return try edited(jws) { payload in
            payload["transactionId"] = transactionId
            payload["purchaseDate"] = purchase.milliseconds
            payload["expiresDate"] = purchase.adding(months: months).milliseconds
            payload["signedDate"] = signed.milliseconds
            payload["offerType"] = 2
            payload["offerIdentifier"] = offer
            payload["offerDiscountType"] = "FREE_TRIAL"
            payload["offerPeriod"] = "P1M"
            payload["revocationDate"] = refundedAt?.milliseconds
            payload["revocationReason"] = refundedAt.map { _ in 0 }
            payload["revocationReason"] = refundedAt == nil ? nil : 0
        }
    }

    private func steps(_ scene: Scene) -> [ScenarioStep] {
        let now = clock.now
        let price = Money(milliunits: 9_990, currency: "USD")
        func buy(_ at: Instant) -> ScenarioStep {
            .buy(.init(product: "monthly", group: "21500001", at: .fixed(at), period: Period(months: 1), price: price))
        }
        let leave: [ScenarioStep] = [.cancel(.init(at: .fixed(now.adding(months: -3)))), .expire(.init())]
        switch scene {
        case .newcomer:
            return [.appTransaction(.init(at: .fixed(now.adding(months: -1))))]
        case .trialUsed:
            let trial = ScenarioStep.Trial(
                product: "monthly", group: "21500001", at: .fixed(now.adding(months: -3)), length: Period(days: 7))
            return [.trial(trial)] + leave
        case .subscriber:
            return [buy(now.adding(milliseconds: -10 * Instant.Duration.day))]
        case .lapsed:
            return [buy(now.adding(months: -3))] + leave
        case .overdue:
            return [buy(now.adding(months: -2))]
        }
    }
}

extension SignedDelivery {
    /// Its JWS one by one, as requests of their own that vouch for nothing.
    var pieces: [SignedDelivery] {
        signedTransactions.map { SignedDelivery(signedTransactions: [$0]) }
            + signedRenewalInfo.map { SignedDelivery(signedRenewalInfo: [$0]) }
            + (signedAppTransaction.map { [SignedDelivery(signedAppTransaction: $0)] } ?? [])
    }
}
