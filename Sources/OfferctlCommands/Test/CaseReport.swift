import Foundation
import OfferCatalog
import OfferEligibility

/// What came of all files of cases, as people and as machines read it.
struct CaseReport {
    private let results: [CaseFileResult]

    init(_ results: [CaseFileResult]) {
        self.results = results
    }

    /// How many cases failed.
    var failed: Int { results.map(\.failures.count).reduce(0, +) }

    /// Whether some file could not be run.
    var hasInvalidFiles: Bool { results.contains(where: \.isInvalid) }

    private var cases: Int { results.map(\.cases).reduce(0, +) }

    /// Every failed case with its differences, then the summary.
    func text(_ palette: Palette) -> String {
        let failures = results.flatMap { result in
            result.failures.map { CaseFailureText(palette: palette).lines($0, file: result.file) }
        }
        return (failures.map { $0.joined(separator: "\n") } + [summary(palette)]).joined(separator: "\n\n")
    }

    /// `2 files, 14 cases: 13 passed, 1 failed`.
    private func summary(_ palette: Palette) -> String {
        let invalid = results.count(where: \.isInvalid)
        let counted = "\(Self.count(results.count, "file")), \(Self.count(cases, "case")): "
        var parts = [palette.paint("\(cases - failed) passed", failed == 0 ? .good : .quiet)]
        if failed > 0 { parts.append(palette.paint("\(failed) failed", .bad)) }
        if invalid > 0 { parts.append(palette.paint("\(Self.count(invalid, "file")) not run", .unsure)) }
        return counted + parts.joined(separator: ", ")
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }
}

extension CaseReport {
    /// `{"files", "cases", "passed", "failed", "failures": […], "errors": […]}`.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let body = Body(
            files: results.count, cases: cases, passed: cases - failed, failed: failed,
            failures: results.flatMap { result in result.failures.map { Body.Failure($0, file: result.file) } },
            errors: results.flatMap(Body.Problem.all))
        return String(decoding: try encoder.encode(body), as: UTF8.self)
    }

    private struct Body: Encodable {
        let files: Int
        let cases: Int
        let passed: Int
        let failed: Int
        let failures: [Failure]
        let errors: [Problem]

        struct Failure: Encodable {
            let file: String
            let line: Int
            let name: String
            let differences: [Difference]

            init(_ failure: CaseFileResult.Failure, file: String) {
                self.file = file
                line = failure.line
                name = failure.name
                differences = failure.differences.map(Difference.init)
            }
        }

        struct Difference: Encodable {
            let rule: String?
            let path: String?
            let aspect: String
            let expected: String?
            let got: String?
            let message: String?

            init(_ difference: CaseDifference) {
                rule = difference.rule
                path = difference.path
                aspect = difference.aspect.description
                expected = difference.expected
                got = difference.got
                message = difference.message
            }
        }

        struct Problem: Encodable {
            let file: String
            let line: Int?
            let column: Int?
            let path: String?
            let code: DocumentIssueCode?
            let detail: String
            let hint: String?

            static func all(_ result: CaseFileResult) -> [Problem] {
                let unreadable = result.unreadable.map { failure in
                    Problem(
                        file: result.file, line: nil, column: nil, path: nil, code: nil,
                        detail: failure.messages.first.map { $0.replacing("error: ", with: "") } ?? "unreadable",
                        hint: nil)
                }
                return (unreadable.map { [$0] } ?? [])
                    + result.errors.map { issue in
                        Problem(
                            file: result.file, line: issue.line, column: issue.column, path: issue.path,
                            code: issue.code, detail: issue.detail, hint: issue.hint)
                    }
            }
        }
    }
}
