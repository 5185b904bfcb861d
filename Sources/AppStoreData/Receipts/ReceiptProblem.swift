/// What is wrong at one place of a verifyReceipt answer.
public struct ReceiptProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of problem, by which refusals are counted.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// Not JSON, or no answer of verifyReceipt.
        case malformed
        /// More bytes than an answer has.
        case tooLong
        /// Apple answered with a status and no receipt.
        case noReceipt
        /// A receipt of another app.
        case wrongApp
        /// A receipt of another environment.
        case wrongEnvironment
        /// A date that no purchase has, or one to come.
        case implausibleDate
        /// A member that must be there is not, or is not of its type.
        case invalidValue
    }

    /// The kind of problem.
    public let reason: Reason
    /// The way to it, from the text's root: `receipt.in_app[3].purchase_date_ms`; empty for the text itself.
    public let path: String
    /// One lower-case line for people, with offending values in backticks.
    public let detail: String
    /// What to do next.
    public let hint: String?

    /// A problem by its parts.
    public init(_ reason: Reason, path: String, detail: String, hint: String? = nil) {
        self.reason = reason
        self.path = path
        self.detail = detail
        self.hint = hint
    }

    /// ``receipt.in_app[3].purchase_date_ms: `soon` is no date``.
    public var description: String { path.isEmpty ? detail : "\(path): \(detail)" }
}

/// Why nothing of an answer was taken.
///
/// One unreadable purchase refuses the whole answer: without it the others could make a subscription look over that goes
/// on (invariant 3).
public struct ReceiptRefusal: Error, Sendable, Hashable {
    /// The first problems, at most ``mostProblems``, in the order of the text.
    public let problems: [ReceiptProblem]
    /// How many more there are.
    public let more: Int

    /// How many problems of one answer are told.
    public static let mostProblems = 10

    /// A refusal by everything that is wrong.
    public init(_ problems: [ReceiptProblem]) {
        self.problems = Array(problems.prefix(Self.mostProblems))
        more = problems.count - self.problems.count
    }
}
