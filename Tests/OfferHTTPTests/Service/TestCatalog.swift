import LocalAppStore
import OfferModel
import OfferTestSupport

extension TestCatalog {
    static let yaml =
        head + comeback(to: "expired") + """
              - id: trial
                type: introductory
                products: [monthly]
                paymentMode: freeTrial
                period: P1W
                periodCount: 1
                status: active
                limits: []

            """ + either
}

extension ServiceFixture {
    /// The signed data of somebody who bought `monthly` long ago, cancelled, and whose access has ended. Apple knows
    /// them.
    func lapsedCustomer(
        _ id: String, app: BundleId = "com.example.pro", environment: AppStoreEnvironment = .localTesting
    ) throws -> SignedScenario {
        let now = clock.now
        let scenario = Scenario(
            bundleId: app, environment: environment,
            customer: ScenarioCustomer(
                appTransactionId: AppTransactionId("app-\(id)"), originalTransactionId: TransactionId(id)),
            steps: [
                .trial(
                    product: "monthly", group: "21500001", at: .fixed(now.adding(months: -4)),
                    length: Period(days: 7), period: Period(months: 1),
                    price: Money(milliunits: 9_990, currency: "USD")),
                .renew(times: 2),
                .cancel(at: .fixed(now.adding(months: -2))),
                .expire(),
            ])
        let signed = try appStore.sign(scenario, now: now)
        if Scope(bundleId: app, environment: environment) == Self.scope {
            apple.accounts.append(
                PlayedAccount(
                    transactions: signed.signedTransactions, renewalInfos: signed.signedRenewalInfo,
                    appTransaction: signed.signedAppTransaction))
        }
        return signed
    }

    /// The signed data of somebody who bought `monthly` then, and whose subscription renews.
    func subscriber(_ id: String, boughtAt: Instant) throws -> SignedScenario {
        let scenario = Scenario(
            bundleId: "com.example.pro", environment: .localTesting,
            customer: ScenarioCustomer(
                appTransactionId: AppTransactionId("app-\(id)"), originalTransactionId: TransactionId(id)),
            steps: [
                .buy(
                    product: "monthly", group: "21500001", at: .fixed(boughtAt), period: Period(months: 1),
                    price: Money(milliunits: 9_990, currency: "USD"))
            ])
        return try appStore.sign(scenario, now: clock.now)
    }

    /// The body of an issue request with signed data.
    func issueBody(
        _ offer: String, _ signed: SignedScenario, customer: String = "somebody", more: String = ""
    ) -> String {
        let transactions = signed.signedTransactions.map { "\"\($0)\"" }.joined(separator: ",")
        let renewals = signed.signedRenewalInfo.map { "\"\($0)\"" }.joined(separator: ",")
        return """
            {"offerId":"\(offer)","customer":{"customerId":"\(customer)"},"historyComplete":true,\
            "signedTransactions":[\(transactions)],"signedRenewalInfo":[\(renewals)]\(more)}
            """
    }

    /// A refusal of the trial to an unknown customer.
    func refusal() async throws -> (decisionId: String, answer: RawAnswer) {
        let answer = try await ask(
            "POST", "/v1/issued-offers", token: try await token(.client),
            body: #"{"offerId":"trial","customer":{"customerId":"stranger"}}"#)
        guard let id = answer.json["decisionId"] as? String else { throw RawHTTP.Broken(reason: answer.text) }
        return (id, answer)
    }
}
