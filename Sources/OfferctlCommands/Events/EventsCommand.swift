import ArgumentParser
import CommandLineSupport
import NIOHTTP1
import OfferAPI
import OfferModel

struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "List and show events, and send one to its webhooks again.",
        discussion: """
            Example:
              offerctl events list --type subscription.renewed --from 2026-12-01T00:00:00Z
              offerctl events resend 019ac0de-5a00-8000-8000-00000000002a
            """,
        subcommands: [EventsList.self, EventsShow.self, EventsResend.self])
}

struct EventsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List events, earliest first.",
        discussion: """
            Events are kept for 30 days. A cursor is the id of the last event that was read, so a program that remembers \
            it continues where it stopped. Needs a key with the role support.

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
