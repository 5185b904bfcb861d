import OfferCatalog
import OfferModel
import OfferStore
import SQLiteStore

/// Whether App Store Server Notifications arrive, for each app and environment of keys.yaml.
enum NotificationChecks {
    static func arrival(_ setup: ServerSetup, _ database: SQLiteDatabase) async throws -> [DoctorReport.Check] {
        let scopes = setup.keys.apps.flatMap { app in
            app.environments.map { Scope(bundleId: app.bundleId, environment: $0) }
        }
        return try await database.read { transaction in
            try scopes.map { scope in
                guard let number = try ScopeStore(transaction).number(of: scope),
                    let newest = try NotificationStore(transaction).newest(in: number)
                else { return nothing(scope) }
                let test = try NotificationStore(transaction).newestTest(in: number)
                return .ok(
                    name,
                    "the newest of `\(scope)` is `\(newest.type.rawValue)`, \(arrival(newest)); "
                        + (test.map { "the newest `TEST` \(arrival($0))" } ?? "a `TEST` has not come yet"))
            }
        }
    }

    private static let name = "notifications"

    private static func arrival(_ notification: StoredNotification) -> String {
        "\(notification.source.rawValue) at \(notification.receivedAt)"
    }

    /// Whoever plays the App Store themselves need not send any.
    private static func nothing(_ scope: Scope) -> DoctorReport.Check {
        switch scope.environment {
        case .localTesting, .xcode:
            .ok(name, "none has come yet of `\(scope)`")
        case .production, .sandbox:
            .warning(
                name, "none has come yet of `\(scope)`",
                hint: "give App Store Connect the URL, then ask Apple for a test notification (docs/notifications.md)")
        }
    }
}
