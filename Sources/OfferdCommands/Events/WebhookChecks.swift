import CommandLineSupport
import OfferApplication
import OfferModel
import OfferStore
import SQLiteStore

/// What `offerd doctor` says of webhooks.
enum WebhookChecks {
    static func delivery(_ setup: ServerSetup, _ database: SQLiteDatabase) async throws -> [DoctorReport.Check] {
        var checks: [DoctorReport.Check] = []
        do { _ = try setup.webhooks() } catch { checks.append(DoctorChecks.failure("webhooks", error)) }
        // Where they are is known without their secrets.
        guard let webhooks = try? setup.webhooks(environment: nil) else { return checks }
        let states = try await database.read { transaction in
            try webhooks.map { webhook in
                let store = WebhookStore(transaction)
                return (webhook.name, try store.state(webhook.id), try store.waiting(webhook.id))
            }
        }
        return checks + states.map { check("webhook `\($0)`", $1, waiting: $2) }
    }

    private static func check(_ name: String, _ state: WebhookState?, waiting: Int) -> DoctorReport.Check {
        guard let state else { return .ok(name, "gets events from the next start of `serve`") }
        let last =
            state.succeededAt.map { "last took an event at \(TimeText.absolute($0))" } ?? "has taken no event yet"
        if let since = state.failingSince {
            return .warning(
                name, "takes no events since \(TimeText.absolute(since)); it \(last)",
                hint: "the log of `serve` has the reason; its events wait for three days")
        }
        guard waiting == 0 else {
            let events = waiting == 1 ? "1 event waits" : "\(waiting) events wait"
            return .warning(
                name, "\(last); \(events) to be sent again",
                hint: "the receiver refuses single events: its log should say why")
        }
        return .ok(name, last)
    }
}
