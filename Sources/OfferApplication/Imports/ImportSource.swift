public import OfferModel
import OfferSigning

/// Something that is read line by line and can be taken up again in the middle.
///
/// Implementations read as they are asked, never the whole at once, and turn every unreadable line into a refusal: they
/// throw only when the source itself cannot be read any more, such as a file that went away.
public protocol ImportSource: AnyObject {
    /// The size in the units of ``ImportLine/end``, to tell how far reading is.
    var size: Int64 { get }

    /// Goes on behind a line that was read before; nothing was if the position is 0.
    func resume(at position: Int64, after lines: Int64) throws

    /// The next line; `nil` at the end.
    func next() throws -> ImportLine?
}

/// One line of an import's source: a row of CSV, a line of JSON Lines, one receipt.
public struct ImportLine: Sendable, Hashable {
    /// Where it begins, from 1; how refusals name it.
    public var number: Int64
    /// Where the source is read on after it, in the source's own units; it only grows.
    public var end: Int64
    /// Its place in words, with which its refusal begins; `nil` where the number is enough.
    public var place: String?
    /// Its content, or why it was not understood.
    public var content: Result<ImportedHistory, ImportRefusal>

    public init(number: Int64, end: Int64, place: String? = nil, content: Result<ImportedHistory, ImportRefusal>) {
        self.number = number
        self.end = end
        self.place = place
        self.content = content
    }
}

/// The unsigned content of one line about one customer.
public struct ImportedHistory: Sendable, Hashable {
    public var transactions: [Transaction]
    public var renewalInfos: [RenewalInfo]
    public var appTransaction: AppTransaction?
    /// The app's account, beside what the transactions themselves say: an alias, which never merges.
    public var appAccountToken: AppAccountToken?
    /// The app's own name of the customer: an alias, which never merges.
    public var customerId: CustomerId?

    public init(
        transactions: [Transaction] = [], renewalInfos: [RenewalInfo] = [], appTransaction: AppTransaction? = nil,
        appAccountToken: AppAccountToken? = nil, customerId: CustomerId? = nil
    ) {
        self.transactions = transactions
        self.renewalInfos = renewalInfos
        self.appTransaction = appTransaction
        self.appAccountToken = appAccountToken
        self.customerId = customerId
    }
}

public struct ImportRefusal: Error, Sendable, Hashable {
    /// The closed list of reasons; docs/import.md has the same.
    public enum Reason: String, Sendable, Hashable, CaseIterable, Comparable {
        /// Not the JSON, the CSV or the text that it must be.
        case malformed
        case tooLong
        case noPurchase
        /// Something that every purchase has is not there, or a value is not of its type.
        case invalidValue
        /// A date that no purchase can have, such as seconds where milliseconds belong.
        case implausibleDate
        /// A subscription whose group neither the line nor the catalog tells.
        case unknownProduct
        case wrongApp
        case wrongEnvironment
        case otherStore
        case noReceipt

        /// Whether the line may have held a purchase, so that the rest is incomplete (invariant 3).
        public var isGap: Bool {
            switch self {
            case .wrongApp, .wrongEnvironment, .otherStore: false
            case .malformed, .tooLong, .noPurchase, .invalidValue, .implausibleDate, .unknownProduct, .noReceipt: true
            }
        }

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    public let reason: Reason
    /// The reason in words on one line, naming the value; what is longer than ``longestDetail`` is cut.
    public let detail: String

    /// In bytes of UTF-8; a receipt can have ten problems, each with its place.
    public static let longestDetail = 4_096

    public init(_ reason: Reason, _ detail: String) {
        self.reason = reason
        self.detail = OneLine.of(detail, atMost: Self.longestDetail)
    }

    /// A value of the line for the words of a refusal: in backticks, on one line, at most 100 bytes of it.
    public static func quoted(_ value: String) -> String { "`\(OneLine.of(value, atMost: 100))`" }
}
