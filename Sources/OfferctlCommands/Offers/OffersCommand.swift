import ArgumentParser
import CommandLineSupport
import NIOHTTP1
import OfferAPI
import OfferModel

struct OffersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offers",
        abstract: "List, show, pause and resume offers.",
        discussion: """
            Example:
              offerctl offers list
              offerctl offers pause comeback-half-price
            """,
        subcommands: [OffersList.self, OffersShow.self, OffersPause.self, OffersResume.self])
}

struct OffersList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the offers: running, paused or exhausted, and what is left of their limits.",
        discussion: """
            STANDING is draft, scheduled, running, paused, exhausted or ended, and UNTIL when that ends by itself. LEFT is \
            what remains of each total and budget, and USED UP the day on which nothing would remain if as much is \
            redeemed as in the last 14 days; docs/marketing.md says when it is told. `-o wide` shows every column. \
            Needs a key with the role marketing or support.

            Example:
              offerctl offers list
            """)

    @OptionGroup var page: PageOptions
    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        try await answer.list(
            "/v1/offers", page.query, empty: "the catalog has no offers",
            table: OfferText.table)
    }
}

struct OffersShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one offer: whether it is issued, for which customers, how often, and its last 14 days.",
        discussion: """
            Needs a key with the role marketing or support. With --json it is the offer's entry of the list.

            Example:
              offerctl offers show comeback-half-price
            """)

    @Argument(help: ArgumentHelp("The offer, by its id in the catalog.", valueName: "offer"))
    var offer: String

    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        try await answer.connect { client in
            guard let summary = try await client.offers().first(where: { $0.offerId.rawValue == offer }) else {
                throw CommandFailure(
                    .failed, "the catalog has no offer `\(offer)`", hints: ["`offerctl offers list` shows all"])
            }
            let json = String(decoding: try WireJSON.encode(summary), as: UTF8.self)
            if let data = try answer.output.data(json) { return Console.write(data) }
            let catalog = try await client.catalogInForce().catalog
            let palette = answer.output.palette
            let days = try await client.days(of: summary.offerId)
            Console.write(
                (OfferText.lines(summary, catalog, palette) + (days.map { OfferDays.lines($0, palette) } ?? [])).joined(
                    separator: "\n"))
        }
    }
}

extension OfferdClient {
    /// Every offer: the list is short.
    fileprivate func offers() async throws -> [OfferSummary] {
        var offers: [OfferSummary] = []
        try await eachPage("/v1/offers") { offers += $0 }
        return offers
    }

    /// - Returns: `nil` where the key may not see it, and where another report is being made.
    fileprivate func days(of offer: OfferId) async throws -> OfferSeries? {
        do {
            return try await call(
                .GET, "/v1/reports/series", query: [("by", "day"), ("offer", offer.rawValue)], as: OfferSeries.self
            ).body
        } catch let refusal as ServerRefusal where [403, 503].contains(refusal.status) {
            return nil
        }
    }
}

struct OffersPause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop issuing an offer, or all of them, at once.",
        discussion: """
            In force for the next request, and kept by every `catalog apply` until it is resumed, or until --until. \
            Pausing again sets another end and reason. Signatures already issued stay valid at Apple for up to 24 hours. \
            With --all it lists the offers and asks; without a terminal it needs --confirm. Needs a key with the role \
            marketing.

            Example:
              offerctl offers pause comeback-half-price
              offerctl offers pause comeback-half-price \\
                --until 2026-12-24 --reason "no codes left"
              offerctl offers pause --all --confirm
            """)

    @OptionGroup var target: PauseTarget

    @Option(
        help: ArgumentHelp(
            "When it is issued again by itself: a day, from its beginning in UTC, or a moment.", valueName: "date"),
        transform: Instant.dateArgument)
    var until: Instant?

    @Option(help: ArgumentHelp("Why, for those who see the offer paused.", valueName: "text"))
    var reason: String?

    @Flag(help: "Agree to pausing every offer.")
    var confirm = false

    mutating func validate() throws {
        if reason == "" { throw ValidationError("`--reason` is empty") }
    }

    func run() async throws {
        let request = until == nil && reason == nil ? nil : PauseRequestBody { ($0.reason, $0.until) = (reason, until) }
        try await target.change("pause", request, isAgreed: confirm) { active, palette in
            OfferText.pausePreview(active.filter { !$0.paused }, palette)
        }
    }
}

struct OffersResume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Issue a paused offer again, or lift the pause of all.",
        discussion: """
            The pause of all offers and that of a single one are independent: an offer is issued when neither is in force. \
            With --all it lists the offers and asks; without a terminal it needs --confirm. Needs a key with the role \
            marketing.

            Example:
              offerctl offers resume comeback-half-price
              offerctl offers resume --all --confirm
            """)

    @OptionGroup var target: PauseTarget

    @Flag(help: "Agree to lifting the pause of all offers.")
    var confirm = false

    func run() async throws {
        try await target.change("resume", nil, isAgreed: confirm, OfferText.resumePreview)
    }
}

struct PauseTarget: ParsableArguments {
    @Argument(help: ArgumentHelp("The offer, by its id in the catalog.", valueName: "offer"))
    var offer: String?

    @Flag(help: "Every offer.")
    var all = false

    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws {
        guard (offer == nil) == all, offer != "" else {
            throw ValidationError("name either the id of one offer, or `--all`")
        }
    }

    /// - Parameters:
    ///   - request: what is sent; nothing if absent.
    ///   - isAgreed: whether the command line agrees to changing every offer.
    ///   - preview: what that would do to the active offers.
    fileprivate func change(
        _ verb: String, _ request: PauseRequestBody?, isAgreed: Bool, _ preview: ([OfferSummary], Palette) -> String
    ) async throws {
        let body = try await answer.show { client in
            let subject = offer.map { "`\($0)`" } ?? "every offer"
            if all, !isAgreed || client.asks {
                let active = try await client.offers().filter { $0.status == .active }
                answer.showPreview { preview(active, $0) }
            }
            try await client.confirm("\(verb) \(subject)", isAgreed: !all || isAgreed)
            let path = offer.map { "/v1/offers/\($0.percentEncoded)/\(verb)" } ?? "/v1/offers/\(verb)"
            guard let request else { return try await client.call(.POST, path, as: PauseState.self) }
            return try await client.post(path, request, as: PauseState.self)
        } text: { body in
            OfferText.pause(body)
        }
        guard let offer, !body.paused, body.everyOfferPaused else { return }
        Console.note("warning: every offer is paused, so `\(offer.printable)` is not issued")
        Console.note("hint: `offerctl offers resume --all` lifts that")
    }
}
