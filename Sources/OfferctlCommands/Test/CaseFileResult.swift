import OfferCatalog
import OfferEligibility
import OfferModel

/// What came of one file of cases.
struct CaseFileResult {
    /// A case that did not come out as expected.
    struct Failure {
        let name: String
        let line: Int
        let differences: [CaseDifference]
    }

    let file: String
    /// How many cases were run; 0 for a file that cannot be used.
    let cases: Int
    let failures: [Failure]
    /// Why the file cannot be used.
    let errors: [DocumentIssue]
    /// Why the file cannot be read at all.
    let unreadable: CommandFailure?
    private let warnings: [DocumentIssue]

    init(reading file: String, _ catalogs: inout CaseCatalogs) {
        self.file = file
        var unreadable: CommandFailure?
        var errors: [DocumentIssue] = []
        var warnings: [DocumentIssue] = []
        var read: CaseFile?
        do {
            let document = try CaseReader.read(FileDocument.read(file), vocabulary: .evaluator) {
                catalogs.read($0, namedIn: file)
            }
            read = document.value
            warnings = document.warnings
        } catch let failure as CommandFailure {
            unreadable = failure
        } catch let invalid as InvalidDocument {
            errors = invalid.errors
            warnings = invalid.warnings
        } catch {
            unreadable = CommandFailure(.usage, "`\(file)` cannot be read")
        }
        self.unreadable = unreadable
        self.errors = errors
        self.warnings = warnings
        cases = read?.cases.count ?? 0
        failures = read.map(Self.failures) ?? []
    }

    /// Whether it could not be run.
    var isInvalid: Bool { unreadable != nil || !errors.isEmpty }

    /// The lines about the file itself: errors, then warnings.
    var messages: [String] {
        (unreadable?.messages ?? []) + errors.flatMap { IssueText.lines($0, severity: .error, file: file) }
            + warnings.flatMap { IssueText.lines($0, severity: .warning, file: file) }
    }

    private static func failures(of file: CaseFile) -> [Failure] {
        file.cases.compactMap { one in
            let differences = file.differences(of: one)
            return differences.isEmpty ? nil : Failure(name: one.name, line: one.line, differences: differences)
        }
    }
}
