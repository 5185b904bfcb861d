import ArgumentParser
import CommandLineSupport
import NIOHTTP1
import OfferAPI
import OfferModel

struct IssuedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issued",
        abstract: "List, show, void and export offers that were issued to customers.",
        discussion: """
            Example:
              offerctl issued list --customer-id user-17
              offerctl issued show 6f1d3a52-7c0b-4b0e-9f3a-2d5e8c1b7a90
            """,
        subcommands: [IssuedList.self, IssuedShow.self, IssuedVoid.self, IssuedExport.self])
}

struct IssuedList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the offers that were issued to a customer, or to all.",
        discussion: """
            Newest first. Any identifier finds the customer; without one it lists every customer's. Needs a key with the \
            role support.

            Example:
              offerctl issued list --customer-id user-17
              offerctl issued list --offer comeback-half-price --limit 20
            """)

    @OptionGroup var customer: CustomerOptions

    @Option(help: ArgumentHelp("Only this offer, by its id in the catalog.", valueName: "id"))
    var offer: String?

    @OptionGroup var page: PageOptions
    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        try await answer.list(
            "/v1/issued-offers",
            customer.reference.query + queryItems(("offerId", offer)) + page.query, empty: "nothing was issued",
            table: { IssuedText.table($0) })
    }
}

struct IssuedShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one issued offer.",
        discussion: """
            Signatures are shown only with --json, because a signature alone is enough to use the offer. Needs a key with \
            the role support or client.

            Example:
              offerctl issued show 6f1d3a52-7c0b-4b0e-9f3a-2d5e8c1b7a90
            """)

    @OptionGroup var issued: IssuedOfferArgument
    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        try await answer.show("/v1/issued-offers/\(issued.id)", as: IssuedOfferView.self, text: IssuedText.text)
    }
}

struct IssuedOfferArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The issued offer, as `issued list` shows it.", valueName: "id"),
        transform: LowercaseUUID.argument("an issued offer's id"))
    var id: LowercaseUUID
}

struct IssuedVoid: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "void",
        abstract: "Void an issued offer: no further signature is issued for it.",
        discussion: """
            Apple cannot take a signature back: those already issued can be used until they expire. So the offer counts \
            under the limits until then. With --release it stops counting at once, and the customer may get the \
            offer again although the old signatures still work: they could use it twice. Needs a key with the role support.

            Example:
              offerctl issued void 6f1d3a52-7c0b-4b0e-9f3a-2d5e8c1b7a90 --reason mistake
            """)

    @OptionGroup var issued: IssuedOfferArgument

    @Option(help: ArgumentHelp("The reason, for the record.", valueName: "text"))
    var reason: String

    @Flag(help: "Stop counting it under the limits at once, although its signatures may still be used.")
    var release = false

    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws {
        guard !reason.isEmpty else { throw ValidationError("`--reason` must not be empty") }
    }

    func run() async throws {
        var wasOpen = true
        let body = try await answer.show { client in
            let path = "/v1/issued-offers/\(issued.id)"
            let found = try await client.call(.GET, path, as: IssuedOfferView.self)
            wasOpen = found.body.state == .open
            guard wasOpen else { return found }
            try await client.confirm("void the issued offer `\(issued.id)`")
            return try await client.post(
                path + "/void", VoidRequestBody { ($0.reason, $0.release) = (reason, release ? true : nil) },
                as: IssuedOfferView.self)
        } text: { body in
            IssuedText.text(body, answer.output.palette)
        }
        guard wasOpen, body.state == .voided else { throw alreadyClosed(body) }
        let end = TimeText.absolute(body.expiresAt)
        Console.note(
            release
                ? "warning: signatures already issued may be used until \(end): the customer could use the offer twice"
                : "warning: signatures already issued may be used until \(end); it counts until \(IssuedText.countsUntil(body))"
        )
    }

    /// The message about an offer that was no longer open, so that nothing was changed.
    private func alreadyClosed(_ body: IssuedOfferView) -> CommandFailure {
        guard body.state == .voided else {
            return CommandFailure(.failed, "nothing was voided: the offer is already \(body.state.rawValue)")
        }
        let date = body.voidedAt.map { " on " + TimeText.absolute($0) } ?? ""
        let keepsCounting = release && body.released == false
        return CommandFailure(
            .failed, "nothing was changed: the offer was already voided\(date)",
            hints: keepsCounting ? ["it was voided without `--release`, which cannot be added later"] : [])
    }
}

struct IssuedExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write issued offers with the audit's proof, as CSV or JSON Lines.",
        discussion: """
            All of them in the order they were issued, without signatures. The proof is the event that recorded the offer, \
            the digest of its row, and the signed checkpoint that covers it; docs/ledger.md explains how to check it. \
            Needs a key with the role support.

            Example:
              offerctl issued export --from 2026-12-01T00:00:00Z --csv > offers.csv
            """)

    @Option(help: ArgumentHelp("Only this offer, by its id in the catalog.", valueName: "id"))
    var offer: String?

    @Option(help: ArgumentHelp("Only those issued then or later.", valueName: "moment"), transform: Instant.argument)
    var from: Instant?

    @Option(help: ArgumentHelp("Only those issued before.", valueName: "moment"), transform: Instant.argument)
    var to: Instant?

    @Flag(help: "Write CSV with a header row.")
    var csv = false

    @Flag(help: "Write one JSON object per line. (default)")
    var jsonLines = false

    @OptionGroup var server: ServerOptions

    mutating func validate() throws {
        guard !(csv && jsonLines) else { throw ValidationError("choose one of `--csv` and `--json-lines`") }
    }

    func run() async throws {
        try await server.connect { client in
            var needsHeader = csv
            let query = queryItems(
                ("offerId", offer), ("from", from.map { String($0.milliseconds) }),
                ("to", to.map { String($0.milliseconds) }), ("limit", "200"))
            try await client.eachPage("/v1/issued-offers/export", query: query) { (items: [ExportedOffer]) in
                if needsHeader { Console.write(ExportCSV.header) }
                needsHeader = false
                for item in items {
                    Console.write(csv ? ExportCSV.line(item) : try item.jsonText(isPretty: false))
                }
            }
        }
    }
}
