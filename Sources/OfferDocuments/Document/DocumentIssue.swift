/// One thing wrong with a document, where it is and what to do about it.
public struct DocumentIssue: Sendable, Hashable {
    public let code: DocumentIssueCode
    /// Where it is in the document, such as `offers[2].eligibility.all[0]`; empty for the document itself.
    public let path: String
    /// From 1.
    public let line: Int
    /// From 1, counted in Unicode scalars.
    public let column: Int
    /// For people: lower case, without a full stop.
    public let detail: String
    public let hint: String?

    public init(
        code: DocumentIssueCode, path: String = "", line: Int, column: Int, detail: String, hint: String? = nil
    ) {
        self.code = code
        self.path = path
        self.line = line
        self.column = column
        self.detail = detail
        self.hint = hint
    }
}

extension DocumentIssue {
    init(
        _ code: DocumentIssueCode, at position: DocumentPosition, path: String = "", _ detail: String,
        hint: String? = nil
    ) {
        self.init(
            code: code, path: path, line: position.line, column: position.column, detail: detail, hint: hint)
    }
}

package enum IssueSeverity: String, Sendable, Hashable, CaseIterable {
    case error
    /// The document is accepted, but may not say what was meant.
    case warning
}

/// The kind of an error in a document, for programs; people read the detail and the hint.
///
/// The list is closed and `docs/catalog.md` explains every entry.
public enum DocumentIssueCode: String, Sendable, Hashable, CaseIterable, Codable {
    case notUTF8
    /// A character that no document needs and that editors do not show, such as NUL.
    case invalidCharacter
    /// More bytes than ``DocumentLimits/bytes``, or a condition of more than ``DocumentLimits/comparisons``.
    case tooLarge
    /// Nested deeper than ``DocumentLimits/depth``, or a condition than ``DocumentLimits/conditionDepth``.
    case tooDeep
    case tooManyErrors
    case emptyDocument
    case multipleDocuments
    case syntax
    /// YAML that is not accepted: anchors, aliases, tags, merge keys, directives, complex keys, text over many lines.
    case unsupportedSyntax
    case duplicateKey
    case unknownKey
    case missingKey
    case missingValue
    case wrongType
    case emptyList
    case invalidValue
    case unknownValue
    case outOfRange
    case duplicateValue
    case notAllowed
    case contradiction
    case unknownFact
    case missingOperator
    case signalTypeConflict
    case unknownProduct
    case severalGroups
    /// A price in another currency than its product's.
    case currencyMismatch
    case priceTooHigh
    /// A catalog of another app than the API key's.
    case wrongApp
    /// Another kind or Apple name than the offer was first issued with.
    case frozenOnceIssued
    // Warnings.
    case unlimited
    case unknownOffer
    case unknownTag
    /// Terms that App Store Connect is not known to offer.
    case unusualTerms
    /// An alternative of a condition that can never hold.
    case neverHolds
    /// A part of a condition that holds whatever is known.
    case alwaysHolds
    case unused
    /// An introductory offer that is given again, which Apple alone would not do.
    case introductoryAgain
    /// A win-back offer that customers with a lifetime purchase could get.
    case lifetimeOwner
}

/// Collects the issues of one reading, so that one pass finds all of them, up to a bound.
final class IssueLog {
    private var errors: [DocumentIssue] = []
    private var warnings: [DocumentIssue] = []
    /// Whether there is an error more than are reported: nothing that is read now can change the outcome.
    private(set) var isFull = false

    /// - Parameter issue: made only if it is kept, because making it is slow.
    func refuse(_ issue: @autoclosure () -> DocumentIssue) {
        guard errors.count < DocumentLimits.issues else {
            isFull = true
            return
        }
        errors.append(issue())
    }

    func warn(_ issue: @autoclosure () -> DocumentIssue) {
        guard warnings.count < DocumentLimits.issues else { return }
        warnings.append(issue())
    }

    func outcome<Value: Sendable>(_ value: Value?) throws(InvalidDocument) -> ValidDocument<Value> {
        if let value, errors.isEmpty { return ValidDocument(value: value, warnings: Self.sorted(warnings)) }
        throw refusal
    }

    /// The errors, with a last one that says so if there are more.
    var refusal: InvalidDocument {
        var sorted = Self.sorted(errors)
        if isFull, let last = sorted.last {
            sorted.append(
                DocumentIssue(
                    code: .tooManyErrors, line: last.line, column: last.column,
                    detail: "there are more errors than the \(DocumentLimits.issues) shown"))
        }
        return InvalidDocument(errors: sorted, warnings: Self.sorted(warnings))
    }

    private static func sorted(_ issues: [DocumentIssue]) -> [DocumentIssue] {
        issues.sorted { ($0.line, $0.column, $0.path, $0.detail) < ($1.line, $1.column, $1.path, $1.detail) }
    }
}

/// How a terminal shows an issue of a document.
package enum IssueText {
    /// One line `error: <detail> at <path> (<file>:<line>)`, then `hint: <hint>` if there is one.
    ///
    /// The parts are plain values so that issues reported by a server print like local ones.
    package static func lines(
        severity: IssueSeverity, detail: String, path: String?, file: String, line: Int, hint: String?
    ) -> [String] {
        let place = path.map { $0.isEmpty ? "" : " at \($0)" } ?? ""
        return ["\(severity.rawValue): \(detail)\(place) (\(file):\(line))"] + (hint.map { ["hint: \($0)"] } ?? [])
    }

    package static func lines(
        _ issues: [DocumentIssue], severity: IssueSeverity = .error, file: String
    ) -> [String] {
        issues.flatMap { issue in
            lines(
                severity: severity, detail: issue.detail, path: issue.path, file: file, line: issue.line,
                hint: issue.hint)
        }
    }
}

package struct ValidDocument<Value: Sendable>: Sendable {
    package let value: Value
    package let warnings: [DocumentIssue]
}

package struct InvalidDocument: Error, Sendable, Hashable {
    /// Every error found, at least one, in the order of their lines.
    package let errors: [DocumentIssue]
    package let warnings: [DocumentIssue]
}

extension InvalidDocument {
    /// A document that cannot be read at all.
    init(_ code: DocumentIssueCode, at position: DocumentPosition, _ detail: String, hint: String? = nil) {
        self.init(errors: [DocumentIssue(code, at: position, detail, hint: hint)], warnings: [])
    }
}

/// Bounds of every document, so that a hostile one costs little.
package enum DocumentLimits {
    /// The most bytes of a document: 2 MiB, as for a request with a catalog (docs/bounds.md#requests).
    package static let bytes = 2 * 1_024 * 1_024
    /// The most keys, values, dashes, colons, commas and brackets of a document. An offer has about a hundred.
    package static let tokens = 26_000
    package static let depth = 64
    /// The most comparisons of one offer's condition.
    package static let comparisons = 500
    /// The most levels of one offer's condition: a comparison in a group is at the second.
    package static let conditionDepth = 20
    /// The most ids that one offer had before.
    package static let formerIds = 20
    /// The most errors that are reported, as of a request.
    package static let issues = 100
}

/// A value of a document in an error: in backticks, short, and without characters that would disturb a terminal.
func quoted(_ value: String) -> String {
    var text = ""
    for (count, scalar) in value.unicodeScalars.enumerated() {
        guard count < 64 else {
            text += "…"
            break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            text += "\\u{\(String(scalar.value, radix: 16))}"
        default:
            text.unicodeScalars.append(scalar)
        }
    }
    return "`\(text)`"
}
