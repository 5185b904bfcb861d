import Foundation
import LocalAppStore
import OfferModel
import OfferSigning
import OfferTestSupport

extension ServiceFixture {
    static let notificationsPath = "/v1/app-store/com.example.pro/LocalTesting/notifications"

    /// The notification that Apple sends when it is asked for a test.
    func testNotification(
        app: BundleId = "com.example.pro", environment: AppStoreEnvironment = .localTesting, at instant: Instant? = nil
    ) throws -> String {
        let scenario = Scenario(
            bundleId: app, environment: environment, customer: ScenarioCustomer(originalTransactionId: "1"),
            steps: [.test(at: .fixed(instant ?? clock.now))])
        return try appStore.sign(scenario, now: clock.now).notifications[0]
    }

    /// Sends a notification as the App Store does.
    func notify(
        _ signedPayload: String, path: String = ServiceFixture.notificationsPath
    ) async throws -> RawAnswer {
        try await ask("POST", path, body: #"{"signedPayload":"\#(signedPayload)"}"#)
    }

    /// Signs the payload of a JWS anew, changed.
    func edited(_ jws: String, _ change: (inout [String: Any]) -> Void) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(try CompactJWS(parsing: jws).payload))
        guard var payload = object as? [String: Any] else { throw RawHTTP.Broken(reason: "no object was signed") }
        change(&payload)
        return try root.sign(payload: Array(try JSONSerialization.data(withJSONObject: payload, options: .sortedKeys)))
    }
}
