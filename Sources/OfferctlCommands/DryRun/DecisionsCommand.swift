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
        subcommands: [DecisionsShow.self])
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
