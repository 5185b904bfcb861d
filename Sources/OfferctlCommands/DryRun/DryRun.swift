import ArgumentParser
import NIOHTTP1
import OfferAPI
import OfferEligibility
import OfferModel

/// `offerctl dry-run`: what would be decided, and why, without writing anything.
struct DryRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dry-run",
        abstract: "Explain whether a customer may have an offer, and when that changes.",
        discussion: """
            Decides as issuing would, on the history the server has stored, and writes nothing. With --offer it shows every \
            finding and ends with status 1 unless the customer is eligible; with --all it shows for each offer what \
            stands against it and ends with status 0. Needs a key with the role support or marketing; to a client key the \
            server shows less.

            What if it were another day, another history or another catalog? --as-of, --history, --catalog and \
            --catalog-revision ask that. A history is a JSON file {"transactions": […], "renewalInfos": […], \
            "complete": true} of Apple's decoded payloads; it stands in for the stored one and needs no customer.

            Example:
              offerctl dry-run --offer comeback-half-price --customer-id user-17
              offerctl dry-run --all --customer-id user-17 --signal interactions=52
              offerctl dry-run --all --history lapsed.json --as-of 2026-12-24T00:00:00Z
            """)

    @Option(help: ArgumentHelp("The offer, by its id in the catalog.", valueName: "id"))
    var offer: String?

    @Flag(help: "Every offer of the catalog.")
    var all = false

    @OptionGroup
    var customer: CustomerOptions

    @Option(help: ArgumentHelp("The product, where an offer has several.", valueName: "id"))
    var product: String?

    @Option(
        help: ArgumentHelp(
            "What the backend would say of the customer: a number, true or false, or a text. May be repeated.",
            valueName: "name=value"),
        transform: SignalArgument.init(parsing:))
    var signal: [SignalArgument] = []

    @Option(
        help: ArgumentHelp("Decide as of this moment, such as 2026-12-24T00:00:00Z.", valueName: "time"),
        transform: MomentArgument.init(parsing:))
    var asOf: MomentArgument?

    @Option(
        help: ArgumentHelp("Decide on this history instead of the stored one.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var history: String?

    @Option(
        help: ArgumentHelp("Decide by this catalog instead of the one in force.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml", "json"]))
    var catalog: String?

    @Option(help: ArgumentHelp("Decide by this revision of the catalog.", valueName: "revision"))
    var catalogRevision: Int?

    @Flag(help: "Print the decisions as JSON.")
    var json = false

    @OptionGroup
    var connection: ServerOptions

    mutating func validate() throws {
        guard (offer == nil) == all else {
            throw ValidationError("say either `--offer` with the id of one offer, or `--all`")
        }
        guard catalog == nil || catalogRevision == nil else {
            throw ValidationError("say either `--catalog` or `--catalog-revision`")
        }
        try catalogRevision.checkRevision()
        try signal.checkDistinct()
        if history == nil { try customer.checkGiven() }
    }

    func run() async throws {
        try await connection.ask(role: "support or marketing", file: catalog, json: json) { client, console in
            let reply = try await client.call(
                .POST, "/v1/decisions", headers: [("Content-Type", "application/json")], body: requestBody(),
                as: DecisionsBody.self)
            try show(reply, console)
        }
    }

    private func requestBody() throws -> [UInt8] {
        let reference = customer.reference
        let document = try catalog.map { String(decoding: try FileDocument.read($0), as: UTF8.self) }
        var request = DryRunRequest()
        try request.add("customer", reference.isEmpty ? nil : reference)
        try request.add("offerIds", offer.map { [$0] })
        try request.add("productId", product)
        try request.add("signals", signal.byName)
        try request.add("asOf", asOf?.instant)
        try request.add("history", objectIn: history)
        try request.add("catalog", document)
        try request.add("catalogRevision", catalogRevision)
        return request.body
    }

    private func show(_ reply: OfferdClient.Reply<DecisionsBody>, _ console: Console) throws(CommandFailure) {
        let text = DecisionText(palette: console.palette, now: .wallClock)
        guard let offer else {
            if json { console.write(json: reply.json) } else { console.write(text.overview(reply.body)) }
            return
        }
        guard let decision = reply.body.decisions.first(where: { $0.offerId.rawValue == offer }) else {
            throw CommandFailure(.unavailable, "the server's answer does not speak of the offer `\(offer)`")
        }
        if json { console.write(json: reply.json) } else { console.write(text.explanation(decision)) }
        guard decision.outcome == Outcome.eligible.rawValue else { throw .answeredNo }
    }
}
