import CommandLineSupport
import Foundation
import OfferAPI
import OfferDocuments
import OfferModel

struct CaseFileResult {
    struct Failure: Encodable {
        let file: String
        let line: Int
        let name: String
        let differences: [CaseDifference]
    }

    let document: ReadDocument<CaseFile>
    let failures: [Failure]

    init(reading file: String, _ catalogs: inout CaseCatalogs) {
        document = ReadDocument(file) {
            try CaseReader.read(InputFile.bytes(file)) { catalogs.read($0, namedIn: file) }
        }
        failures = document.value.map { Self.failures(of: $0, at: file) } ?? []
    }

    /// How many cases were run; 0 for a file that cannot be used.
    var cases: Int { document.value?.cases.count ?? 0 }

    var isInvalid: Bool { document.value == nil }

    private static func failures(of cases: CaseFile, at file: String) -> [Failure] {
        cases.cases.compactMap { one in
            let differences = cases.differences(of: one)
            return differences.isEmpty
                ? nil : Failure(file: file, line: one.line, name: one.name, differences: differences)
        }
    }
}

struct CaseReport {
    let results: [CaseFileResult]

    private var failures: [CaseFileResult.Failure] { results.flatMap(\.failures) }

    var failed: Int { failures.count }

    var hasInvalidFiles: Bool { results.contains(where: \.isInvalid) }

    private var cases: Int { results.map(\.cases).reduce(0, +) }

    func text(_ palette: Palette) -> String {
        let texts = failures.map { CaseFailureText(palette: palette).lines($0).joined(separator: "\n") }
        return (texts + [summary(palette)]).joined(separator: "\n\n")
    }

    /// `2 files, 14 cases: 13 passed, 1 failed`.
    private func summary(_ palette: Palette) -> String {
        let invalid = results.count(where: \.isInvalid)
        let counted = "\(results.count.counted("file")), \(cases.counted("case")): "
        var parts = [palette.paint("\(cases - failed) passed", failed == 0 ? .good : .quiet)]
        if failed > 0 { parts.append(palette.paint("\(failed) failed", .bad)) }
        if invalid > 0 { parts.append(palette.paint("\(invalid.counted("file")) not run", .unsure)) }
        return counted + parts.joined(separator: ", ")
    }
}

extension CaseReport {
    func json() throws -> String {
        try Body(
            files: results.count, cases: cases, passed: cases - failed, failed: failed, failures: failures,
            errors: results.map(\.document).flatMap { document in
                (document.unreadable.map { [Body.Problem(file: document.file, detail: $0.message)] } ?? [])
                    + document.errors.map { issue in
                        Body.Problem(
                            file: document.file, line: issue.line, column: issue.column, path: issue.path,
                            code: issue.code, detail: issue.detail, hint: issue.hint)
                    }
            }
        ).jsonText()
    }

    private struct Body: Encodable {
        let files: Int
        let cases: Int
        let passed: Int
        let failed: Int
        let failures: [CaseFileResult.Failure]
        let errors: [Problem]

        struct Problem: Encodable {
            let file: String
            var line: Int?
            var column: Int?
            var path: String?
            var code: DocumentIssueCode?
            let detail: String
            var hint: String?
        }
    }
}

/// A failed case in plain words: what was expected and what came out, finding by finding.
struct CaseFailureText {
    let palette: Palette

    func lines(_ failure: CaseFileResult.Failure) -> [String] {
        let place = palette.paint("(\(failure.file):\(failure.line))".printable, .quiet)
        var lines = ["\(palette.paint("✗", .bad)) \(failure.name.printable) \(place)"]
        var subject: String?
        for difference in failure.differences {
            let own = title(difference)
            if own != subject { lines.append("    " + own) }
            subject = own
            lines += sides(difference).map { "      " + $0 }
        }
        return lines
    }

    private func title(_ difference: CaseDifference) -> String {
        guard let rule = difference.rule else {
            if case .state = difference.aspect { return "the state of the group" }
            return "the answer"
        }
        let place = difference.path.map { " at \($0)" } ?? ""
        let sentence = difference.message.map { ": \($0)" } ?? ""
        return palette.paint((rule + place).printable, .heading) + sentence.printable
    }

    private func sides(_ difference: CaseDifference) -> [String] {
        switch difference.aspect {
        case .unlistedRule:
            return [
                palette.paint("+ \((difference.got ?? "").printable)", .bad)
                    + ": decides the answer and is not among the case's findings"
            ]
        case .finding:
            return [
                palette.paint("- \((difference.expected ?? "").printable)", .good)
                    + ": there is no such finding, because the rule does not concern the offer or the path is another"
            ]
        default:
            let name = words(difference.aspect)
            return [
                palette.paint("- \(name): \(value(difference, difference.expected))".printable, .good),
                palette.paint("+ \(name): \(value(difference, difference.got))".printable, .bad),
            ]
        }
    }

    private func words(_ aspect: CaseDifference.Aspect) -> String {
        switch aspect {
        case .turningPoint: "changes"
        case .transactionId: "transaction in the evidence"
        case .message: "sentence"
        case .state(let member): member
        case .outcome, .finding, .unlistedRule, .verdict, .reason: aspect.description
        }
    }

    private func value(_ difference: CaseDifference, _ value: String?) -> String {
        guard let value else { return difference.aspect == .turningPoint ? "never by itself" : "none" }
        switch difference.aspect {
        case .outcome: return Outcome(rawValue: value) == .ineligible ? "not eligible" : value
        case .turningPoint: return TurningEvent(rawValue: value).map { "when \($0.clause)" } ?? value
        default: return value
        }
    }
}

/// The result of a case, in the form of Examples/conformance: the decision as `POST /v1/decisions` shows it, and the
/// state.
struct CaseAnswer: WireObject {
    private var outcome: String?
    private var findings: [FindingBody]?
    private var state: [String: String] = [:]

    init() {}

    mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("findings", &findings)
        members.optional("outcome", &outcome)
        members.required("state", &state)
    }

    private init(_ file: CaseFile, _ asked: OfferCase) {
        let decision = file.decision(of: asked)
        outcome = decision?.outcome.rawValue
        findings = decision?.findings.map(Self.body)
        state = file.stateMembers(of: asked)
    }

    /// Answers documents of one case each, a line of standard input each.
    static func answerLines() throws {
        var catalogs = CaseCatalogs()
        var number = 0
        while let line = readLine() {
            number += 1
            let document = ReadDocument("line \(number)") {
                try CaseReader.read(Array(line.utf8)) { catalogs.read($0, namedIn: ".") }
            }
            guard let file = document.value else {
                throw CommandFailure(.usage, lines: catalogs.messages + document.messages)
            }
            guard let asked = file.cases.first, file.cases.count == 1 else {
                throw CommandFailure(
                    .usage, "line \(number) has \(file.cases.count.counted("case"))", hints: ["write one case a line"])
            }
            try Console.output(CaseAnswer(file, asked).jsonText(isPretty: false))
        }
    }

    private static func body(_ finding: Finding) -> FindingBody {
        FindingBody { body in
            body.rule = finding.rule.rawValue
            body.verdict = finding.verdict.rawValue
            body.reason = finding.reason.rawValue
            body.path = finding.path
            body.message = finding.message
            body.evidence = finding.evidence.filter { $0.transactionId != nil }.map { evidence in
                EvidenceBody { ($0.field, $0.transactionId) = (evidence.field, evidence.transactionId) }
            }
            body.turningPoint = finding.turningPoint.map(TurningPointBody.init)
            body.children = finding.children?.map(Self.body)
        }
    }
}
