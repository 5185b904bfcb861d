import ArgumentParser
import CommandLineSupport
import NIOHTTP1
import OfferAPI
import OfferModel

struct DryRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dry-run",
        abstract: "Explain whether a customer may have an offer, and when that changes.",
        discussion: """
            Decides as issuing would, on the history the server has stored, and writes nothing. --offer shows everything \
            that blocks the offer and exits 0 if the customer is eligible, 1 if not. --all shows for each offer what \
            decides it, when that changes and what to tell the customer, and exits 0. An unknown customer exits 1. \
            --detail full shows every finding with the raw facts. Needs a key with the role support or marketing; to a \
            client key the server shows less.

            What if it were another day, another history or another catalog? --as-of, --history, --catalog and \
            --catalog-revision ask that. A history is a JSON file {"transactions": […], "renewalInfos": […], \
            "complete": true} of Apple's decoded payloads; it replaces the stored one and needs no customer.

            Example:
              offerctl dry-run --offer comeback-half-price --customer-id user-17
              offerctl dry-run --all --customer-id user-17 --signal interactions=52
              offerctl dry-run --all --customer-id user-17 --locale pt-BR
              offerctl dry-run --all --history lapsed.json --as-of 2026-12-24T00:00:00Z
            """)

    @Option(help: ArgumentHelp("The offer, by its id in the catalog.", valueName: "id"))
    var offer: String?

    @Flag(help: "Every offer of the catalog.")
    var all = false

    @OptionGroup var customer: CustomerOptions

    @Option(help: ArgumentHelp("The product, where an offer has several.", valueName: "id"))
    var product: String?

    @Option(
        help: ArgumentHelp(
            "A signal as the backend would send it: a number, true or false, or a text. May be repeated.",
            valueName: "name=value"),
        transform: SignalArgument.init(parsing:))
    var signal: [SignalArgument] = []

    @Flag(help: "Decide as for an app that asks for a new signature instead of the stored one.")
    var fresh = false

    @Option(
        help: ArgumentHelp(
            "The customer's language, such as de-DE: for the sentence to the customer, and as the fact request.locale.",
            valueName: "tag"))
    var locale: String?

    @Option(
        help: ArgumentHelp("Where in the app the offer is requested: the fact request.placement.", valueName: "name"))
    var placement: String?

    @OptionGroup var whatIf: WhatIfOptions

    @Option(help: "How much to show. (default: normal with --offer, brief with --all)")
    var detail: DetailLevel?

    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws {
        guard (offer == nil) == all else {
            throw ValidationError("give either `--offer` with the id of one offer, or `--all`")
        }
        var seen: Set<String> = []
        for signal in signal where !seen.insert(signal.name).inserted {
            throw ValidationError("the signal `\(signal.name)` is given twice")
        }
        if whatIf.history == nil { try customer.checkGiven() }
    }

    func run() async throws {
        let body = try requestBody()
        let files = SentFiles(catalog: whatIf.catalog, history: whatIf.history)
        try await answer.connect(files: files) { client in
            let reply = try await client.call(
                .POST, "/v1/decisions", headers: [("Content-Type", "application/json")], body: body,
                as: DecisionsBody.self)
            try show(reply)
        }
    }

    /// A history goes to the server byte for byte as its file has it: numbers stay as they were written, and the
    /// server's errors point into it. The files are checked first: a mistake in one needs no server to be found.
    private func requestBody() throws -> [UInt8] {
        let history = try whatIf.history.map { try HistoryFile.read($0) }
        let catalog = try whatIf.catalog.map { String(decoding: try CatalogFile(checking: $0).bytes, as: UTF8.self) }
        func json(_ value: (some WireValue)?) throws -> [UInt8]? { try value.map { try WireJSON.encode($0) } }
        let reference = customer.reference
        let signals = Dictionary(signal.map { ($0.name, $0.value) }) { first, _ in first }
        let request = DeviceRequest(locale: locale, placement: placement)
        let members: [(String, [UInt8]?)] = [
            ("customer", try json(reference.isEmpty ? nil : reference)), ("offerIds", try json(offer.map { [$0] })),
            ("productId", try json(product)), ("signals", try json(signals.isEmpty ? nil : signals)),
            ("request", try json(request == DeviceRequest() ? nil : request)), ("fresh", try json(fresh ? true : nil)),
            ("asOf", try json(whatIf.asOf)), ("history", history), ("catalog", try json(catalog)),
            ("catalogRevision", try json(whatIf.catalogRevision)),
        ]
        let texts = members.compactMap { name, json in json.map { Array("\"\(name)\":".utf8) + $0 } }
        return Array("{".utf8) + Array(texts.joined(separator: ",".utf8)) + Array("}".utf8)
    }

    private func show(_ reply: OfferdClient.Reply<DecisionsBody>) throws {
        if reply.body.known == false {
            if let data = try answer.output.data(reply.json) { Console.write(data) }
            throw CommandFailure(
                .failed, "no customer found",
                hints: ["check the identifier; otherwise the app has not sent this customer's transactions yet"])
        }
        let text = DecisionText(palette: answer.output.palette, now: whatIf.asOf ?? .wallClock)
        if !answer.output.isData, let line = whatIf.line {
            Console.write(text.palette.wrap(text.palette.paint(line, .quiet)) + "\n\n")
        }
        guard let offer else {
            return try answer.show(
                reply, text: text.overview(reply.body, detail: detail ?? .brief) + text.age(reply.body))
        }
        guard let decision = reply.body.decisions.first(where: { $0.offerId.rawValue == offer }) else {
            throw CommandFailure(.unavailable, "the server's answer does not mention the offer `\(offer)`")
        }
        try answer.show(reply, text: text.explanation(decision, detail: detail ?? .normal) + text.age(reply.body))
        guard decision.outcome == Outcome.eligible.rawValue else { throw CommandFailure.answeredNo }
    }
}

/// How much of a decision is shown; every level is a view of the same answer.
enum DetailLevel: String, CaseIterable, ExpressibleByArgument {
    /// The answer, the sentence that decides it, and when it changes.
    case brief
    /// The rules that block the offer, in words.
    case normal
    /// Every finding, with what was seen and required.
    case full
}

/// The assumptions of a dry-run: another moment, another history, another catalog.
struct WhatIfOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Decide as of this moment, such as 2026-12-24T00:00:00Z.", valueName: "time"),
        transform: Instant.argument)
    var asOf: Instant?

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

    mutating func validate() throws {
        guard catalog == nil || catalogRevision == nil else {
            throw ValidationError("give either `--catalog` or `--catalog-revision`")
        }
        try checkRevision(catalogRevision)
    }

    var line: String? {
        let parts = [
            asOf.map { "at " + TimeText.absolute($0) }, history.map { "on the history in `\($0)`" },
            catalog.map { "by the catalog in `\($0)`" }, catalogRevision.map { "by revision \($0) of the catalog" },
        ].compactMap { $0 }
        return parts.isEmpty ? nil : "what if: " + parts.joined(separator: ", ").printable
    }
}

struct SignalArgument: Sendable {
    /// The name, without `signals.`.
    let name: String
    let value: FactValue

    /// Reads `interactions=52`, `hasPattern=true`, `plan=basic` or, for a text that looks like something else,
    /// `code="52"` with the quotes.
    init(parsing argument: String) throws {
        guard let equals = argument.firstIndex(of: "=") else {
            throw ValidationError("`\(argument)` is not a signal: write `name=value`, such as `interactions=52`")
        }
        let name = String(argument[..<equals])
        guard FactVocabulary.isSignalName(name) else {
            throw ValidationError(
                "`\(name)` cannot be a signal: a name has letters, digits and `_`, a letter first, without `signals.`")
        }
        self.name = name
        value = Self.value(String(argument[argument.index(after: equals)...]))
    }

    private static func value(_ text: String) -> FactValue {
        if text == "true" { return .boolean(true) }
        if text == "false" { return .boolean(false) }
        if let number = number(text) { return .number(number) }
        guard text.utf8.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return .text(text) }
        return .text(String(text.dropFirst().dropLast()))
    }

    /// Only what JSON calls a number: `nan`, `inf`, `0x10` and `+5` are text.
    private static func number(_ text: String) -> Double? {
        let allowed = Set("0123456789-.eE+".utf8)
        guard let first = text.utf8.first, first == 0x2D || (0x30...0x39).contains(first),
            text.utf8.allSatisfy(allowed.contains), let number = Double(text), number.isFinite
        else { return nil }
        return number
    }
}

enum HistoryFile {
    /// The JSON object in a file, checked before anything is sent.
    static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
        let content = try InputFile.bytes(path)
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = content.starts(with: mark) ? Array(content.dropFirst(mark.count)) : content
        do {
            try WireJSON.checkDocument(bytes)
        } catch {
            let lines = error.errors.map { error in
                "error: not JSON, \(error.detail) (\(path)\(error.line.map { ":\($0)" } ?? ""))"
            }
            throw CommandFailure(.usage, lines: lines + [form])
        }
        do {
            _ = try WireJSON.decodeRequest(SuppliedHistory.self, from: bytes)
        } catch {
            let lines = error.errors.flatMap { error in
                let place = CLITerms.place(pointer: "/history" + (error.pointer ?? ""), SentFiles(history: path))
                return ["error: " + error.detail + place] + (error.hint.map { ["hint: " + $0] } ?? [])
            }
            throw CommandFailure(.usage, lines: lines + (error.errors.contains { $0.hint != nil } ? [] : [form]))
        }
        return bytes
    }

    private static let form =
        "hint: a history is `{\"transactions\": […], \"renewalInfos\": […], \"complete\": true}`, Apple's payloads decoded"
}
