import CommandLineSupport
import OfferAPI
import OfferModel
import OfferWords

struct SimulationText {
    let palette: Palette

    func story(_ result: SimulationResult, of offer: String) -> String {
        let head = SimulationWords.headline(result, of: offer.printable)
        let parts = [
            [palette.paint(head, .heading)] + unknown(result), table(outcomes(result)), table(waterfall(result)),
            table(rules(result)), table(reasons(result)), table(days(result)), cost(result),
            SimulationWords.changes(result).map(change), samples(result),
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: [""]).joined(separator: "\n")
    }

    private func table(_ table: TextTable) -> [String] {
        table.isEmpty ? [] : table.lines(palette, indent: 2)
    }

    private func unknown(_ result: SimulationResult) -> [String] {
        guard let number = result.undeterminedWhere, number != .exactly(0) else { return [] }
        return ["  \(number.words) more may or may not meet `--where`; they are not counted"]
    }

    private func outcomes(_ result: SimulationResult) -> TextTable {
        TextTable(
            ["OUTCOME", "CUSTOMERS"], alignedRight: [1],
            rows: SimulationWords.outcomes(result))
    }

    private func waterfall(_ result: SimulationResult) -> TextTable {
        TextTable(
            ["LEFT", "AFTER", "RULE"], alignedRight: [0],
            rows: result.waterfall.map { [$0.customers.words, $0.step, $0.rule] })
    }

    private func rules(_ result: SimulationResult) -> TextTable {
        TextTable(
            ["DECIDED BY", "FACT", "VERDICT", "CUSTOMERS"], alignedRight: [3],
            rows: result.byRule.map { [$0.rule, $0.fact, $0.verdict, $0.count.words] })
    }

    private func reasons(_ result: SimulationResult) -> TextTable {
        TextTable(
            ["UNDETERMINED BECAUSE", "CUSTOMERS"], alignedRight: [1],
            rows: result.undeterminedBy.map { [$0.reason, $0.count.words] })
    }

    /// The days on which someone becomes eligible.
    private func days(_ result: SimulationResult) -> TextTable {
        TextTable(
            ["BECOME ELIGIBLE ON", "CUSTOMERS"], alignedRight: [1],
            rows: SimulationWords.days(result))
    }

    private func cost(_ result: SimulationResult) -> [String] {
        SimulationWords.costs(result).map { "  \($0.printable)" }
    }

    private func change(_ words: String, _ change: SimulationResult.AudienceChange) -> String {
        let names = change.samples.map(\.name)
        return "  \(change.customers.words) \(words)" + (names.isEmpty ? "" : ", such as \(names.listed)")
    }

    private func samples(_ result: SimulationResult) -> [String] {
        let names = result.samples.map(\.name)
        return names.isEmpty ? [] : ["  eligible, for example: \(names.listed)"]
    }

    static func customers(_ customers: [SampleCustomer]) -> TextTable {
        TextTable(
            ["CUSTOMER ID", "ORIGINAL TRANSACTION ID", "APP TRANSACTION ID", "APP ACCOUNT TOKEN"], optional: [2, 3],
            rows: customers.map {
                [
                    $0.customerId?.rawValue, $0.originalTransactionId?.rawValue, $0.appTransactionId?.rawValue,
                    $0.appAccountToken?.description,
                ]
            })
    }
}

extension SampleCustomer {
    /// The identifier by which a dry-run finds the customer.
    fileprivate var name: String {
        let value =
            customerId?.rawValue ?? originalTransactionId?.rawValue ?? appTransactionId?.rawValue
            ?? appAccountToken?.description ?? "–"
        return "`\(value.printable)`"
    }
}

extension [String] {
    fileprivate var listed: String { joined(separator: ", ") }
}
