import OfferModel
import Testing

@testable import OfferDocuments

@Suite("webhooks of offerd.yaml")
struct WebhookDocumentTests {
    private static let secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"

    private func read(_ text: String) throws -> [WebhookConfiguration] {
        try ConfigurationReader.read(Array(text.utf8)).value.webhooks
    }

    @Test("a webhook has a URL, secrets and types of events, and may be for one app and one environment")
    func whole() throws {
        let text = """
            webhooks:
              - url: https://example.com/events?token=a
                secrets: [env:WEBHOOK_SECRET, \(Self.secret)]
                events: [subscription.*, offer.issued]
                app: com.example.pro
                environment: Production
                perSecond: 10
              - { url: "http://127.0.0.1:9000/", secrets: [env:A], events: [notification.received] }

            """
        let webhooks = try read(text)
        #expect(
            webhooks == [
                WebhookConfiguration(
                    url: "https://example.com/events?token=a",
                    secrets: [.environment("WEBHOOK_SECRET"), .text(Self.secret)],
                    events: [
                        .started, .paymentFailed, .trialEnding, .graceEnding, .accessLost, .cancelled, .resumed,
                        .renewed, .refunded,
                        .productChanged, .offerIssued,
                    ], app: "com.example.pro", environment: .production, perSecond: 10),
                WebhookConfiguration(
                    url: "http://127.0.0.1:9000/", secrets: [.environment("A")], events: [.notificationReceived],
                    perSecond: WebhookConfiguration.standardPace),
            ])
        #expect(try read("webhooks: []\n") == [])
        let all = "webhooks: [{ url: http://127.0.0.1:9000/, secrets: [env:A], events: ['*'] }]\n"
        #expect(try read(all).first?.events == Set(EventType.allCases))
        #expect(!"\(webhooks)".contains(Self.secret), "a secret is never shown")
    }

    @Test(
        "a URL is https, or http to this machine, without a password and a fragment",
        arguments: [
            ("https://example.com", true), ("http://localhost:1/x", true), ("http://[::1]:1/x", true),
            ("http://example.com/x", false), ("http://127.0.0.1.example.com/x", false), ("ftp://example.com", false),
            ("https://user:password@example.com/", false), ("https://example.com/#a", false), ("example.com", false),
            ("https://", false), ("https://example.com:0/", false), ("https://exa mple.com/", false),
        ])
    func address(_ url: String, _ isAccepted: Bool) {
        let text = "webhooks:\n  - url: \"\(url)\"\n    secrets: [env:A]\n    events: [offer.issued]\n"
        #expect(issues(ConfigurationReader.read, text) == (isAccepted ? [] : ["invalidValue 2 webhooks[0].url"]))
        #expect(!shown(text).contains("password@"))
    }

    @Test("mistakes are found with their lines, and a secret is not quoted")
    func mistakes() {
        let text = """
            webhooks:
              - url: https://example.com/
                secrets: [whsec_c2hvcnQ=, "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", env:1X]
                events: [offer.isued, subscripton.*]
                app: "not an app"
                environment: production
                perSecond: 0
                event: offer.issued
              - { url: https://example.com/, secrets: [env:A], events: [offer.issued] }
              - { url: https://example.com/, secrets: [env:B], events: [offer.refused] }
              - { url: https://example.com/, secrets: [], events: [] }
              - { secrets: [env:A] }

            """
        #expect(
            issues(ConfigurationReader.read, text) == [
                "invalidValue 3 webhooks[0].secrets[0]", "invalidValue 3 webhooks[0].secrets[1]",
                "invalidValue 3 webhooks[0].secrets[2]", "invalidValue 4 webhooks[0].events[0]",
                "invalidValue 4 webhooks[0].events[1]", "invalidValue 5 webhooks[0].app",
                "unknownValue 6 webhooks[0].environment", "outOfRange 7 webhooks[0].perSecond",
                "unknownKey 8 webhooks[0]", "duplicateValue 10 webhooks[2]", "emptyList 11 webhooks[3].secrets",
                "emptyList 11 webhooks[3].events", "missingKey 12 webhooks[4]", "missingKey 12 webhooks[4]",
            ])
        #expect(!shown(text).contains("MfKQ9r8G") && !shown(text).contains("c2hvcnQ"))
        #expect(shown(text).contains("did you mean `offer.issued`?"))
    }

    /// The messages about the mistakes in a text.
    private func shown(_ text: String) -> String {
        do throws(InvalidDocument) {
            _ = try ConfigurationReader.read(Array(text.utf8))
            return ""
        } catch {
            return error.errors.map { "\($0.detail) \($0.hint ?? "")" }.joined(separator: "\n")
        }
    }
}
