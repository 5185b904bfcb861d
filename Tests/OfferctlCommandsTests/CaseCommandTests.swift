import CommandLineSupport
import Foundation
import OfferTestSupport
import Testing

@testable import OfferModel
@testable import OfferctlCommands

@Suite("offerctl test")
struct CaseCommandTests {
    private static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test("the example cases pass, and it says how many files and cases there are")
    func examples() async throws {
        let run = try await OfferctlProcess.run(["test", "Examples/cases"], directory: Self.root)
        #expect(run.errorText.isEmpty)
        #expect(run.text == "9 files, 59 cases: 59 passed\n")
        #expect(run.status == 0)
    }

    @Test("the page's examples of the command and of a file are true")
    func page() async throws {
        let page = try String(contentsOf: Self.root.appending(path: "docs/cases.md"), encoding: .utf8)
        let shown = try #require(page.firstMatch(of: #/```\n\$ offerctl (?<command>.*)\n(?<text>(?:.*\n)*?)```/#))
        let run = try await OfferctlProcess.run(ShellWords.split(shown.output.command), directory: Self.root)
        #expect(run.text == String(shown.output.text))
        let file = try #require(page.firstMatch(of: #/<!-- example -->\n```yaml\n(?<text>(?:.*\n)*?)```/#))
        let directory = try TemporaryDirectory()
        try directory.write(String(file.output.text), to: "cases/example.yaml")
        let catalog = try String(contentsOf: Self.root.appending(path: "Examples/catalog.yaml"), encoding: .utf8)
        try directory.write(catalog, to: "catalog.yaml")
        let example = try await OfferctlProcess.run(["test", "cases"], directory: directory.url)
        #expect(example.errorText + example.text == "1 file, 1 case: 1 passed\n")
    }

    private static let offers = """
        offers:
          spring: { offerIdentifier: spring, starts: 2026-03-01T00:00:00Z }
          loyal: { offerIdentifier: loyal, eligibility: { fact: signals.interactions, atLeast: 50 } }
        histories:
          subscriber: { transactions: [{ transactionId: "1", purchaseDate: 2026-01-01T00:00:00Z }] }

        """

    @Test("a failed case shows what was expected and what came out, finding by finding, and ends with 1")
    func failed() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            Self.offers + """
                cases:
                  - name: wrong outcome, unlisted rule, wrong state
                    asOf: 2026-02-28T23:59:59Z
                    offer: spring
                    history: subscriber
                    expect: { outcome: eligible, state: { hasAccess: true, accessEnds: 2026-02-01T01:00:00+01:00 } }
                  - name: wrong reason, turning point and sentence of a node
                    asOf: 2026-01-15T00:00:00Z
                    offer: loyal
                    history: subscriber
                    signals: { interactions: 49 }
                    expect:
                      outcome: ineligible
                      findings:
                        - rule: rule.eligibility
                          verdict: violated
                          reason: signalMissing
                          turningPoint: { at: 2026-02-01T00:00:00Z }
                          message: too few
                        - { rule: platform.winBack.lapsed, verdict: satisfied }
                  - name: right
                    asOf: 2026-03-01T00:00:00Z
                    offer: spring
                    history: subscriber
                    expect: { outcome: eligible }
                """, to: "b/wrong.yaml")
        try directory.write(
            #"{"cases": [{"name": "of nobody nothing is known", "asOf": 1767225600000, "expect": {"state": {"state": null}}}]}"#,
            to: "a.json")
        try directory.write("not a case", to: "b/readme.txt")
        let run = try await OfferctlProcess.run(["test", "."], directory: directory.url)
        #expect(run.status == 1)
        #expect(run.errorText.isEmpty)
        let expected = """
            ✗ wrong outcome, unlisted rule, wrong state (./b/wrong.yaml:7)
                the answer
                  - outcome: eligible
                  + outcome: not eligible
                catalog.schedule: the offer starts at 2026-03-01T00:00:00Z
                  + violated (notStarted): decides the answer and is not among the case's findings
                the state of the group
                  - hasAccess: true
                  + hasAccess: none

            ✗ wrong reason, turning point and sentence of a node (./b/wrong.yaml:12)
                rule.eligibility: signal `interactions`: 49 (must be at least 50)
                  - reason: signalMissing
                  + reason: conditionNotMet
                  - changes: 2026-02-01T00:00:00Z
                  + changes: when the backend sends the signal, or a different value of it
                  - sentence: too few
                  + sentence: signal `interactions`: 49 (must be at least 50)
                platform.winBack.lapsed
                  - satisfied: there is no such finding, because the rule does not concern the offer or the path is another

            2 files, 4 cases: 2 passed, 2 failed

            """
        #expect(Self.lines(run.text) == Self.lines(expected))
    }

    @Test("every error of every file is shown with its line and a hint, the rest still runs, and it ends with 2")
    func invalid() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            Self.offers + """
                cases:
                  - name: slips
                    asOf: 2026-01-15
                    offer: sprng
                    hystory: subscriber
                    expect: { outcome: eligibel, findings: [{ rule: rule.eligibilty, verdict: violated }] }
                  - name: slips
                    asOf: 2026-01-15T00:00:00Z
                    offer: spring
                    history: subscribr
                    expect: {}
                """, to: "wrong.yaml")
        try directory.write("catalog: none.yaml\ncases: [{}]\n", to: "missing.yaml")
        try directory.write(
            #"{"cases": [{"name": "of nobody nothing is known", "asOf": 1767225600000, "expect": {"state": {"state": null}}}]}"#,
            to: "right.json")
        let run = try await OfferctlProcess.run(["test", "."], directory: directory.url)
        #expect(run.status == 2)
        #expect(run.text == "3 files, 1 case: 1 passed, 2 files not run\n")
        let expected = """
            error: `./none.yaml` cannot be read: there is no such file
            error: the catalog `none.yaml` cannot be used at catalog (./missing.yaml:1)
            hint: the path is relative to this file; `offerctl catalog validate` shows what is wrong with a catalog
            error: missing key `asOf` at cases[0] (./missing.yaml:2)
            error: missing key `expect` at cases[0] (./missing.yaml:2)
            error: missing key `name` at cases[0] (./missing.yaml:2)
            error: `2026-01-15` is not a time with an offset at cases[0].asOf (./wrong.yaml:8)
            hint: write it like `2026-12-01T00:00:00Z` or `2026-12-01T00:00:00+02:00`
            error: there is no offer `sprng` at cases[0].offer (./wrong.yaml:9)
            hint: did you mean `spring`?
            error: unknown key `hystory` at cases[0] (./wrong.yaml:10)
            hint: did you mean `history`?
            error: unknown value `eligibel` at cases[0].expect.outcome (./wrong.yaml:11)
            hint: did you mean `eligible`?
            error: unknown value `rule.eligibilty` at cases[0].expect.findings[0].rule (./wrong.yaml:11)
            hint: did you mean `rule.eligibility`?
            error: the case in line 7 has the name `slips` too at cases[1].name (./wrong.yaml:12)
            hint: say what differs between the two
            error: there is no history `subscribr` in this file at cases[1].history (./wrong.yaml:15)
            hint: did you mean `subscriber`?
            error: nothing is expected, so the case cannot fail at cases[1].expect (./wrong.yaml:16)
            hint: add an `outcome`, `findings` or a `state`

            """
        #expect(Self.lines(run.errorText) == Self.lines(expected))
    }

    @Test("a fact that does not exist is refused unless the file is unchecked")
    func unchecked() async throws {
        let directory = try TemporaryDirectory()
        let cases = """
            offers: { o: { offerIdentifier: o, eligibility: { fact: customer.shoeSize, atMost: 40 } } }
            cases:
              - name: nobody knows it
                asOf: 2026-01-15T00:00:00Z
                history: { transactions: [{ transactionId: "1", purchaseDate: 2026-01-01T00:00:00Z }] }
                expect: { outcome: undetermined, findings: [{ rule: rule.eligibility, verdict: undetermined }] }
            """
        try directory.write(cases, to: "checked.yaml")
        try directory.write("unchecked: true\n" + cases, to: "unchecked.yaml")
        let checked = try await OfferctlProcess.run(["test", "checked.yaml"], directory: directory.url)
        #expect(checked.status == 2)
        #expect(checked.errorText.hasPrefix("error: unknown fact `customer.shoeSize` at offers.o.eligibility"))
        let unchecked = try await OfferctlProcess.run(["test", "unchecked.yaml"], directory: directory.url)
        #expect(unchecked.errorText + unchecked.text == "1 file, 1 case: 1 passed\n")
    }

    @Test("a case that cannot be run ends with 2 and says why")
    func nothingToRun() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("text", to: "empty/readme.txt")
        let missing = try await OfferctlProcess.run(["test", "none.yaml"], directory: directory.url)
        #expect(missing.status == 2)
        #expect(missing.errorText == "error: `none.yaml` cannot be read: there is no such file\n")
        let empty = try await OfferctlProcess.run(["test", "empty"], directory: directory.url)
        #expect(empty.status == 2)
        #expect(
            empty.errorText
                == "error: `empty` has no cases\nhint: cases are files `*.json`, `*.yaml` and `*.yml`; docs/cases.md explains them\n"
        )
    }

    @Test("machines read the same as JSON")
    func json() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            Self.offers + """
                cases:
                  - name: wrong
                    asOf: 2026-03-01T00:00:00Z
                    offer: spring
                    history: subscriber
                    expect: { outcome: undetermined }
                """, to: "wrong.yaml")
        try directory.write("cases: 5\n", to: "worse.yaml")
        let run = try await OfferctlProcess.run(
            ["test", "--json", "wrong.yaml", "worse.yaml"], directory: directory.url)
        #expect(run.status == 2)
        #expect(run.errorText.isEmpty)
        let body = try JSONDecoder().decode(Report.self, from: Data(run.output))
        #expect(body.files == 2)
        #expect(body.cases == 1)
        #expect(body.passed == 0)
        #expect(body.failed == 1)
        let failure = try #require(body.failures.first)
        #expect((failure.file, failure.line, failure.name) == ("wrong.yaml", 7, "wrong"))
        #expect(failure.differences.first?.aspect == "outcome")
        #expect(failure.differences.first?.expected == "undetermined")
        #expect(failure.differences.first?.got == "eligible")
        #expect(body.errors.map(\.detail) == ["this must be a list, not a number"])
        #expect(body.errors.map(\.line) == [1])
    }

    @Test("colours tell expected from found, only where they are wanted")
    func colours() throws {
        let difference = CaseDifference(aspect: .outcome, expected: "eligible", got: "undetermined")
        let failure = CaseFileResult.Failure(file: "f.yaml", line: 3, name: "name", differences: [difference])
        #expect(
            CaseFailureText(palette: .ansi).lines(failure) == [
                "\u{1B}[31m✗\u{1B}[0m name \u{1B}[2m(f.yaml:3)\u{1B}[0m", "    the answer",
                "      \u{1B}[32m- outcome: eligible\u{1B}[0m", "      \u{1B}[31m+ outcome: undetermined\u{1B}[0m",
            ])
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private struct Report: Decodable {
        let files: Int
        let cases: Int
        let passed: Int
        let failed: Int
        let failures: [Failure]
        let errors: [Problem]

        struct Failure: Decodable {
            let file: String
            let line: Int
            let name: String
            let differences: [Difference]
        }
        struct Difference: Decodable {
            let aspect: String
            let expected: String?
            let got: String?
        }
        struct Problem: Decodable {
            let line: Int?
            let detail: String
        }
    }
}
