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
            decides it, when that changes and what to tell the customer, and ends with status 0. --detail shows more or \
            less. Needs a key with the role support or marketing; to a client key the server shows less.

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

    @OptionGroup
    var supposition: SuppositionOptions

    @Option(help: "How much to show: full unless said otherwise with --offer, brief with --all.")
    var detail: DetailLevel?

    @Flag(help: "Print the decisions as JSON.")
    var json = false

    @OptionGroup
    var connection: ServerOptions

    mutating func validate() throws {
        guard (offer == nil) == all else {
            throw ValidationError("say either `--offer` with the id of one offer, or `--all`")
        }
        try signal.checkDistinct()
        if supposition.history == nil { try customer.checkGiven() }
    }

    func run() async throws {
        let body = try requestBody()
        let files = SentFiles(catalog: supposition.catalog, history: supposition.history)
        try await connection.ask(role: "support or marketing", files: files, json: json) { client, console in
            let reply = try await client.call(
                .POST, "/v1/decisions", headers: [("Content-Type", "application/json")], body: body,
                as: DecisionsBody.self)
            try show(reply, console)
        }
    }

    private func requestBody() throws -> [UInt8] {
        let reference = customer.reference
        var request = DryRunRequest()
        try request.add("customer", reference.isEmpty ? nil : reference)
        try request.add("offerIds", offer.map { [$0] })
        try request.add("productId", product)
        try request.add("signals", signal.byName)
        try supposition.add(to: &request, .process)
        return request.body
    }

    private func show(_ reply: OfferdClient.Reply<DecisionsBody>, _ console: Console) throws(CommandFailure) {
        let text = DecisionText(palette: console.palette, now: supposition.asOf?.instant ?? .wallClock)
        if !json, let line = supposition.line {
            console.write(console.palette.paint(line, .quiet))
            console.write("")
        }
        guard let offer else {
            if json {
                console.write(json: reply.json)
            } else {
                console.write(text.overview(reply.body, detail: detail ?? .brief))
            }
            return
        }
        guard let decision = reply.body.decisions.first(where: { $0.offerId.rawValue == offer }) else {
            throw CommandFailure(.unavailable, "the server's answer does not speak of the offer `\(offer)`")
        }
        if json {
            console.write(json: reply.json)
        } else {
            console.write(text.explanation(decision, detail: detail ?? .full))
        }
        guard decision.outcome == Outcome.eligible.rawValue else { throw .answeredNo }
    }
}
