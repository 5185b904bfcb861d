import Foundation
import OfferModel
import Testing

/// `docs/facts.md` is generated from the vocabulary.
@Suite("The page of facts")
struct FactsPageTests {
    @Test("says exactly what the code knows; the text to paste is printed where it does not")
    func page() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/facts.md"), encoding: .utf8)
        for (name, table) in [("facts", facts), ("types", types)] {
            let expected = "<!-- \(name): generated, see FactsPageTests -->\n\(table)\n<!-- end of \(name) -->"
            #expect(page.contains(expected), "paste this into docs/facts.md:\n\(expected)")
        }
    }

    private var facts: String {
        let named = FactVocabulary.all.map { fact in
            row([
                "`\(fact.name)`", fact.type.rawValue, range(fact), fact.meaning, fact.unknownWhen, fact.source.rawValue,
            ])
        }
        let families = FactVocabulary.families.map { family in
            row([
                "`\(family.name)`", family.type?.rawValue ?? "as first used",
                family.unit.map { "\($0), 0 or more" } ?? "", family.meaning, family.unknownWhen,
                family.source.rawValue,
            ])
        }
        let head = [
            "| Fact | Type | Unit and range, or values | Meaning | Not known when | Source |",
            "| --- | --- | --- | --- | --- | --- |",
        ]
        return (head + named + families).joined(separator: "\n")
    }

    private func range(_ fact: FactDefinition) -> String {
        if let unit = fact.unit { return "\(unit), \(FactValue.number(fact.minimum ?? 0)) or more" }
        if let values = fact.values { return values.map { "`\($0)`" }.joined(separator: ", ") }
        return ""
    }

    private var types: String {
        let rows = FactType.allCases.map { type in
            row([type.rawValue, written(type), type.operators.map { "`\($0.rawValue)`" }.joined(separator: ", ")])
        }
        return (["| Type | Written | Operators |", "| --- | --- | --- |"] + rows).joined(separator: "\n")
    }

    private func written(_ type: FactType) -> String {
        switch type {
        case .text: "`expired`"
        case .number: "`30`; of days also `P30D`, of months also `P3M`"
        case .boolean: "`true`"
        case .money: "`{ amount: \"9.99\", currency: USD }`"
        case .instant:
            "`2026-12-01T00:00:00Z`, with an offset; of a signal or an attribute `{ at: 2026-12-01T00:00:00Z }`"
        case .version: "`\"4.10.1\"`, numbers and dots in quotes"
        case .locale: "`de` or `de-CH`"
        case .storefront: "`USA`"
        }
    }

    private func row(_ cells: [String]) -> String {
        "| " + cells.map { $0.isEmpty ? "–" : $0 }.joined(separator: " | ") + " |"
    }
}
