package import OfferModel

/// Reads a scenario document (`docs/scenarios.md`); whether its steps make sense together is judged when it is played.
package enum ScenarioReader {
    package static func read(_ bytes: [UInt8]) throws(InvalidDocument) -> ValidDocument<Scenario> {
        try DocumentReading.read(bytes) { root in
            let keys = ["bundleId", "appAppleId", "environment", "customer", "signedAt", "steps"]
            guard let mapping = root.mapping(keys) else { return nil }
            let bundleId: BundleId? = mapping.required("bundleId")?.id(.bundleId)
            let appAppleId = mapping.optional("appAppleId")?.wholeNumber(1...999_999_999_999)
            let environment = mapping.optional("environment").map(testEnvironment) ?? .localTesting
            let customer = mapping.required("customer").flatMap(customer)
            let signedAt = mapping.optional("signedAt")?.scenarioTime()
            let fields = mapping.required("steps")?.list(allowsEmpty: true)
            let steps = fields?.compactMap(StepReader.read)
            guard let bundleId, let environment, let customer, let steps, steps.count == fields?.count else {
                return nil
            }
            return Scenario(
                bundleId: bundleId, appAppleId: appAppleId.map(Int64.init), environment: environment,
                customer: customer, signedAt: signedAt, steps: steps)
        }
    }

    private static func testEnvironment(_ field: Field) -> AppStoreEnvironment? {
        guard let environment = field.choice(AppStoreEnvironment.self) else { return nil }
        guard environment == .localTesting || environment == .sandbox else {
            return field.refuse(
                .notAllowed, "a scenario is never for \(environment.rawValue)", hint: "use `LocalTesting` or `Sandbox`")
        }
        return environment
    }

    private static func customer(_ field: Field) -> ScenarioCustomer? {
        let keys = ["appTransactionId", "originalTransactionId", "appAccountToken", "storefront"]
        guard let mapping = field.mapping(keys) else { return nil }
        let appTransactionId: AppTransactionId? = mapping.optional("appTransactionId")?.id(.transactionId)
        let originalTransactionId: TransactionId? = mapping.optional("originalTransactionId")?.id(.transactionId)
        let token = mapping.optional("appAccountToken")?.uuid()
        let storefront = mapping.optional("storefront")?.text(.storefront)
        guard mapping.has("appTransactionId") || mapping.has("originalTransactionId") else {
            return field.refuse(
                .missingKey, "the customer has neither `appTransactionId` nor `originalTransactionId`",
                hint: "give at least one, such as `appTransactionId: \"7040000001\"`")
        }
        return ScenarioCustomer(
            appTransactionId: appTransactionId, originalTransactionId: originalTransactionId, appAccountToken: token,
            storefront: storefront ?? "USA")
    }
}

extension Field {
    func scenarioTime() -> ScenarioTime? {
        guard let text = scalar("a time") else { return nil }
        if let time = ScenarioTime(text) { return time }
        return refuse(
            .invalidValue, "\(quoted(text)) is not a time",
            hint: "write `now`, a period before it such as `-P40D`, or `2026-12-01T00:00:00Z`")
    }
}
