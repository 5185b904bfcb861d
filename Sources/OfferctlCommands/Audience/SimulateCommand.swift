import ArgumentParser
import CommandLineSupport
import NIOHTTP1
import OfferAPI
import OfferDocuments
import OfferModel
import OfferWords

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Count how many customers would get an offer.",
        discussion: """
            The server asks of every customer what a dry-run of the offer would say, in the background, and this waits for \
            the result: a minute for a million customers. It writes nothing that offers depend on. The waterfall shows who \
            is left after each rule. Ctrl-C cancels it.

            --where counts only customers who meet a condition, in the words of the catalog: FACT OPERATOR VALUE, \
            joined by and, or, not and parentheses. --catalog decides by a file instead of the catalog in force, and \
            --compare then tells who gains the offer and who loses it.

            Needs a key with the role marketing or support. A marketing key gets numbers in tens, and of fewer than 10 \
            customers only that they are few. docs/audience.md has every definition.

            Example:
              offerctl simulate --offer comeback-half-price
              offerctl simulate --offer comeback-half-price \\
                --catalog catalog.yaml --compare
              offerctl simulate --offer comeback-half-price \\
                --where 'customer.storefront in [USA, CAN]'
              offerctl simulate --offer comeback-half-price --chart audience.svg
            """)

    @Option(help: ArgumentHelp("The offer, by its id in the catalog.", valueName: "id"))
    var offer: String

    @Option(
        help: ArgumentHelp("Decide by this catalog instead of the one in force.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml", "json"]))
    var catalog: String?

    @Option(
        help: ArgumentHelp("Decide as of this moment, such as 2026-12-24T00:00:00Z.", valueName: "time"),
        transform: Instant.argument)
    var asOf: Instant?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("Count only customers who meet this condition.", valueName: "condition"))
    var condition: String?

    @Flag(help: "Tell who gains the offer and who loses it against the catalog in force.")
    var compare = false

    @OptionGroup var chart: ChartOptions
    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws {
        guard !compare || catalog != nil else {
            throw ValidationError("`--compare` compares a file with the catalog in force: add `--catalog`")
        }
        try chart.checkAlone(answer.output)
    }

    func run() async throws {
        if let condition { try ConditionArgument.check(condition) }
        let picture = try chart.open()
        var request = SimulationRequest()
        (request.offerId, request.asOf, request.where) = (OfferId(offer), asOf, condition)
        request.catalog = try catalog.map { String(decoding: try CatalogFile(checking: $0).bytes, as: UTF8.self) }
        request.compareWith = compare ? .inForce : nil
        let reply = try await answer.connect(files: SentFiles(catalog: catalog)) { try await $0.simulate(request) }
        guard let result = reply.body.result else { return try answer.show(reply, text: "") }
        try picture?.write(OfferCharts.simulation(result, of: offer))
        if chart.isPrinted { return }
        try answer.show(reply, text: SimulationText(palette: answer.output.palette).story(result, of: offer))
    }
}

enum ConditionArgument {
    /// Refuses a mistake that needs no server to be found.
    static func check(_ text: String) throws(CommandFailure) {
        do throws(InvalidDocument) {
            _ = try ConditionText.read(text)
        } catch {
            let lines = error.errors.flatMap { issue in
                ["error: \(issue.inLine.printable) in `--where`"] + (issue.hint.map { ["hint: \($0.printable)"] } ?? [])
            }
            throw CommandFailure(.failed, lines: lines)
        }
    }
}

extension OfferdClient {
    /// Has an audience counted and waits for the result. SIGINT and SIGTERM cancel the simulation.
    func simulate(_ request: SimulationRequest) async throws -> Reply<SimulationBody> {
        let id = try await post("/v1/simulations", request, as: SimulationStarted.self).body.id
        guard let reply = try await InterruptibleWait.run({ try await result(of: id) }) else {
            throw await cancelInterrupted(id)
        }
        return reply
    }

    private func result(of id: LowercaseUUID) async throws -> Reply<SimulationBody> {
        var isNoted = false
        while true {
            let reply = try await simulation(id)
            switch reply.body.state {
            case .done: return reply
            case .running: break
            case .cancelled:
                throw CommandFailure(.failed, "the simulation `\(id)` was cancelled", hints: ["run the command again"])
            case .failed:
                let failure = reply.body.failure ?? "the customers could not be counted"
                throw CommandFailure(
                    .unavailable, "\(failure.printable) (simulation `\(id)`)", hints: ["run the command again"])
            }
            // Before the first customers are counted, their number is not known.
            if !isNoted, reply.body.progress.done > 0 {
                Console.note("counting \(reply.body.progress.of.counted("customer")) (simulation `\(id)`)")
                isNoted = true
            }
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    /// Where the server does not answer, the id is all that is left to find the result by.
    private func simulation(_ id: LowercaseUUID) async throws -> Reply<SimulationBody> {
        do {
            return try await call(.GET, "/v1/simulations/\(id)", as: SimulationBody.self)
        } catch let failure as CommandFailure {
            let hint = "hint: it may still count: `GET /v1/simulations/\(id)` has the result, and `DELETE` cancels it"
            throw CommandFailure(failure.status, lines: failure.lines + [hint])
        } catch var refusal as ServerRefusal {
            refusal.problem.detail += " (simulation `\(id)`)"
            throw refusal
        }
    }

    private func cancelInterrupted(_ id: LowercaseUUID) async -> CommandFailure {
        var client = self
        // Someone waits for the command to end.
        client.timeoutSeconds = min(timeoutSeconds, 5)
        do {
            let body = try await client.call(.DELETE, "/v1/simulations/\(id)", as: SimulationBody.self).body
            return CommandFailure(
                .failed,
                body.state == .cancelled
                    ? "interrupted, and the simulation `\(id)` is cancelled"
                    : "interrupted, but the simulation `\(id)` had already ended")
        } catch {
            return CommandFailure(
                .failed, "interrupted, but the simulation `\(id)` could not be cancelled",
                hints: ["`DELETE /v1/simulations/\(id)` cancels it"])
        }
    }
}
