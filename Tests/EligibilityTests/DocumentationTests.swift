import Foundation
import Testing

@testable import OfferModel

/// `docs/eligibility.md` lists exactly what the code knows.
@Suite("the page about eligibility")
struct DocumentationTests {
    private let page: String
    /// The page for other implementations.
    private let conformance: String

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        page = try String(contentsOf: root.appending(path: "docs/eligibility.md"), encoding: .utf8)
        conformance = try String(contentsOf: root.appending(path: "Examples/conformance/README.md"), encoding: .utf8)
    }

    /// The first cells of the table under a heading, without their backticks.
    private func names(under heading: String) throws -> [String] {
        let section = try #require(page.components(separatedBy: "\n## ").first { $0.hasPrefix(heading + "\n") })
        return section.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("| `"), let end = line.dropFirst(3).firstIndex(of: "`") else { return nil }
            return String(line[line.index(line.startIndex, offsetBy: 3)..<end])
        }
    }

    @Test("lists every state")
    func states() throws {
        #expect(try names(under: "States") == SubscriptionStateName.allCases.map(\.rawValue))
    }

    @Test("lists every rule in the order of the findings")
    func rules() throws {
        #expect(try names(under: "Rules") == Policy.standard.rules.map(\.id.rawValue))
        #expect(Set(Policy.standard.rules.map(\.id)) == Set(RuleId.allCases))
    }

    /// The cells of the table under a heading of the conformance suite's page, without their backticks.
    private func rows(under heading: String) throws -> [[String]] {
        let section = try #require(conformance.components(separatedBy: "\n## ").first { $0.hasPrefix(heading + "\n") })
        return section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            line.split(separator: "|").map { $0.replacing("`", with: "").trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test("says of every rule the verdicts that it gives in the cases, and a case asks for each of them")
    func verdicts() throws {
        var given: [String: Set<Verdict>] = [:]
        var asked: [String: Set<Verdict>] = [:]
        for filed in try FiledCase.all() {
            guard let question = filed.question else { continue }
            for finding in decide(question, facts: filed.facts).findings {
                given[finding.rule.rawValue, default: []].insert(finding.verdict)
            }
            for finding in filed.testCase.expected.findings where finding.path == nil {
                asked[finding.rule.rawValue, default: []].insert(finding.verdict)
            }
        }
        let rows = try rows(under: "Verdicts")
        #expect(rows.map(\.first) == Policy.standard.rules.map(\.id.rawValue))
        for row in rows {
            let listed = Set(row.dropFirst().joined(separator: ", ").split(separator: ", ").map(String.init))
            #expect(listed == Set(given[row[0], default: []].map(\.rawValue)), "given by \(row[0])")
            #expect(listed == Set(asked[row[0], default: []].map(\.rawValue)), "asked of \(row[0])")
        }
    }

    @Test("lists every reason code")
    func reasons() throws {
        #expect(try names(under: "Reasons") == ReasonCode.allCases.map(\.rawValue))
    }

    @Test("lists every event")
    func events() throws {
        #expect(try names(under: "Events") == TurningEvent.allCases.map(\.rawValue))
    }
}
