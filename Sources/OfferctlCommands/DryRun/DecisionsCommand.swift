import ArgumentParser
import CommandLineSupport
import OfferAPI
import OfferModel

struct DecisionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decisions",
        abstract: "Explain refusals that the app got.",
        discussion: """
            Example:
              offerctl decisions show 019a9f2e-7c0b-7b0e-9f3a-2d5e8c1b7a90
            """,
        subcommands: [DecisionsShow.self, DecisionsUnmatched.self])
}

struct DecisionsUnmatched: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmatched",
        abstract: "List the newest refusals of requests that found no customer.",
        discussion: """
            Newest first, with what each request named. An app that sends an identifier of no purchase is seen here, and on \
            no customer's page. Needs a key with the role support.

            Example:
              offerctl decisions unmatched
            """)

    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        try await answer.list(
            "/v1/decisions", [("customer", "unknown")], empty: "every request found its customer",
            table: { (items: [UnmatchedRefusal]) in
                TextTable(
                    ["DECIDED", "OFFER", "OUTCOME", "NAMED", "DECISION"],
                    rows: items.map { item in
                        [
                            TimeText.absolute(item.decidedAt), item.offerId.rawValue, item.outcome, item.named,
                            item.decisionId.description,
                        ]
                    })
            })
    }
}

extension UnmatchedRefusal {
    /// What the request named, such as `customerId user-17`; `nil` once that was removed.
    fileprivate var named: String? {
        let identifiers: [(kind: String, value: String?)] = [
            ("originalTransactionId", originalTransactionId?.rawValue),
            ("appTransactionId", appTransactionId?.rawValue),
            ("appAccountToken", appAccountToken?.description), ("customerId", customerId?.rawValue),
        ]
        let given = identifiers.compactMap { kind, value in value.map { "\(kind) \($0)" } }
        return given.isEmpty ? nil : given.joined(separator: ", ")
    }
}

struct DecisionsShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Explain one refusal by its decisionId, as it was decided.",
        discussion: """
            The server's answer to a refused request and its access log name the decisionId. It is explained from what was \
            known then; `dry-run` shows how it would be decided now. What to tell the customer is in the language of the \
            request. Needs a key with the role support.

            Example:
              offerctl decisions show 019a9f2e-7c0b-7b0e-9f3a-2d5e8c1b7a90
              offerctl decisions show 019a9f2e-7c0b-7b0e-9f3a-2d5e8c1b7a90 --detail full
            """)

    @Argument(
        help: ArgumentHelp("The decisionId of a refusal.", valueName: "id"),
        transform: LowercaseUUID.argument("a decisionId"))
    var id: LowercaseUUID

    @Option(help: "How much to show.")
    var detail = DetailLevel.normal

    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        try await answer.show("/v1/decisions/\(id)", as: RecordedDecisionBody.self) { body, palette in
            DecisionText(palette: palette, now: .wallClock).recorded(body, detail: detail)
        }
    }
}
