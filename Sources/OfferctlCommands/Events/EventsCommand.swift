import ArgumentParser
import CommandLineSupport
import NIOHTTP1
import OfferAPI
import OfferModel

struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "List and show events, send one to its webhooks again, and try webhooks.",
        discussion: """
            Example:
              offerctl events list --type subscription.renewed --from 2026-12-01T00:00:00Z
              offerctl events resend 019ac0de-5a00-8000-8000-00000000002a
              offerctl events send-test
            """,
        subcommands: [EventsList.self, EventsShow.self, EventsResend.self, EventsSendTest.self])
}

struct EventsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List events, earliest first.",
        discussion: """
            Events are kept for 30 days. A cursor is the id of the last event that was read, so a program that remembers \
            it continues where it stopped. Needs a key with the role support, or marketing, which sees no identifiers.

            Example:
              offerctl events list --type subscription.renewed --from 2026-12-01T00:00:00Z
              offerctl events list --cursor 019ac0de-5a00-8000-8000-00000000002a --json
            """)

    @Option(help: ArgumentHelp("Only events of this type, such as `offer.issued`.", valueName: "type"))
    var type: String?

    @Option(
        help: ArgumentHelp("Only events that occurred then or later.", valueName: "moment"),
        transform: Instant.argument)
    var from: Instant?

    @OptionGroup var page: PageOptions
    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        let query = queryItems(("type", type), ("from", from.map { String($0.milliseconds) })) + page.query
        try await answer.list("/v1/events", query, empty: "no events", table: EventText.table)
    }
}

struct EventsShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one event.",
        discussion: """
            docs/events.md explains the data of each type. Needs a key with the role support.

            Example:
              offerctl events show 019ac0de-5a00-8000-8000-00000000002a
            """)

    @OptionGroup var event: EventArgument
    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        try await answer.show("/v1/events/\(event.id)", as: EventBody.self, text: EventText.text)
    }
}

struct EventsResend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resend",
        abstract: "Send an event to its webhooks again.",
        discussion: """
            It has the same id as before, and goes to every webhook in offerd.yaml that takes its type, also if it was \
            delivered. It is sent within seconds and retried for three days. Needs a key with the role support.

            Example:
              offerctl events resend 019ac0de-5a00-8000-8000-00000000002a
            """)

    @OptionGroup var event: EventArgument
    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        try await answer.show("/v1/events/\(event.id)/resend", by: .POST, as: EventResendBody.self) { body, _ in
            "will be sent to \(body.webhooks.counted("webhook"))"
        }
    }
}

struct EventsSendTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send-test",
        abstract: "Send a test event to webhooks and show what their receivers answer.",
        discussion: """
            The event has the type `webhook.test` and is signed as events are. The server sends it once, to every webhook of \
            the key's app and environment or to the named one, whatever types it takes. It is not in `events list`, and no \
            event waits for it. Exit status: 0 if every receiver accepted it, 1 if one did not. Needs a key with the role \
            support.

            Example:
              offerctl events send-test
              offerctl events send-test example.com
            """)

    @Argument(help: ArgumentHelp("One webhook by its name: the host of its `url`.", valueName: "webhook"))
    var webhook: String?

    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws {
        guard webhook != "" else { throw ValidationError("the name of a webhook cannot be empty") }
    }

    func run() async throws {
        let report = try await answer.show { client in
            try await client.post(
                "/v1/webhooks/test", WebhookTestRequestBody { $0.webhook = webhook }, as: WebhookTestReport.self)
        } text: { report in
            report.results.map { EventText.line($0, answer.output.palette) }.joined(separator: "\n")
        }
        guard report.results.allSatisfy(\.delivered) else { throw CommandFailure.answeredNo }
    }
}

struct EventArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The event, as `events list` shows it.", valueName: "id"),
        transform: LowercaseUUID.argument("an event's id"))
    var id: LowercaseUUID
}

enum EventText {
    static func table(_ items: [EventBody]) -> TextTable {
        TextTable(
            ["OCCURRED", "TYPE", "CUSTOMER", "ID"], optional: [2], endsInDetail: true,
            rows: items.map { item in
                [
                    TimeText.absolute(item.occurredAt), item.type.rawValue, item.customer.flatMap(name),
                    item.id.description,
                ]
            })
    }

    /// The app's own name of a customer, if there is one.
    private static func name(_ customer: KnownIdentifiers) -> String? {
        customer.customerIds.first?.rawValue ?? customer.appAccountTokens.first?.description
            ?? customer.originalTransactionIds.first?.rawValue ?? customer.appTransactionId?.rawValue
    }

    static func text(_ item: EventBody, _ palette: Palette) -> String {
        var fields = FieldList()
        fields.add("type", item.type.rawValue)
        fields.add("occurred", TimeText.absolute(item.occurredAt))
        fields.add("app", "\(item.app.rawValue), \(item.environment.rawValue)")
        if let customer = item.customer {
            fields.add("customer id", customer.customerIds.map(\.rawValue))
            fields.add("app account", customer.appAccountTokens.map(\.description))
            fields.add("Apple account", customer.appTransactionId?.rawValue)
            fields.add("subscriptions", customer.originalTransactionIds.map(\.rawValue))
        }
        if case .object(let members) = item.data {
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                fields.add(name.printable, shown(value, as: name))
            }
        }
        let heading = palette.paint(item.id.description, .heading)
        return ([heading] + fields.lines(palette, indent: 2)).joined(separator: "\n")
    }

    /// `✓ example.com: the receiver accepted the event (status 204)`.
    static func line(_ result: WebhookTestResult, _ palette: Palette) -> String {
        let mark = result.delivered ? palette.paint("✓", .good) : palette.paint("✗", .bad)
        let status = result.delivered ? result.status.map { " (status \($0))" } : nil
        let hint = result.hint.map { "; \(CLITerms.hint($0))" }
        return "\(mark) " + "\(result.webhook): \(result.detail)\(status ?? "")\(hint ?? "")".printable
    }

    /// Texts without quotes, and the moments of docs/events.md as people read them.
    private static func shown(_ value: JSONValue, as name: String) -> String? {
        if case .text(let text) = value { return text }
        if case .integer(let milliseconds) = value, name.hasSuffix("At") || name.hasSuffix("Date"),
            InputBounds.instants.contains(Instant(milliseconds: milliseconds))
        {
            return TimeText.absolute(Instant(milliseconds: milliseconds))
        }
        return try? value.jsonText(isPretty: false)
    }
}
