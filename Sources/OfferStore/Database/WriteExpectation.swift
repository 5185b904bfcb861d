import OfferModel

/// What a write will ask first, for drivers where each question costs a round trip while nothing else can be written.
public struct WriteExpectation: Sendable {
    public typealias Operation = @Sendable (any StoreTransaction) throws -> Void
    /// Makes it, where a driver makes use of one.
    public typealias Maker = @Sendable () -> WriteExpectation?

    /// All that the write changes or asks about first; if it turns out to concern more, it says so
    /// (``StoreTransaction/concerns(_:)``).
    public var concerns: Set<Concern>
    /// See ``StoreTransaction/expect(_:)``.
    public var operations: [Operation]

    public init(of concerns: some Sequence<Concern>, _ operations: [Operation]) {
        self.concerns = Set(concerns)
        self.operations = operations
    }
}

/// Something of which a write changes rows, or asks about: what one write learns of it holds until another changes it.
public enum Concern: Sendable, Hashable {
    /// The rows of a customer, but for those that the transaction's cache holds.
    case customer(CustomerNumber)
    /// Whose an identifier is, and the history of it.
    case identifier(ProvenIdentifier)
    /// Whose an alias is.
    case alias(CustomerAlias)
    /// The answer that is kept under a key.
    case answer(IdempotencyRecordKey)
    /// The notification with an id of Apple's.
    case notification(String)
}

/// What a driver knows of a body before it runs.
public struct ExpectedBody: Sendable {
    /// Absent if it may concern anything.
    public let concerns: Set<Concern>?
    public let questions: [Statement]

    public static let unknown = ExpectedBody(concerns: nil, questions: [])
}

extension ExpectedBody {
    init(_ expectation: WriteExpectation?) {
        guard let expectation else {
            self = .unknown
            return
        }
        concerns = expectation.concerns
        questions = Questions.of(expectation.operations.map { operation in { try operation($0) } })
    }
}

/// A transaction that notes what is asked and knows nothing, to find out what operations will ask first.
public final class Questions: StoreTransaction {
    private struct Unanswered: Error {}

    private var statements: [Statement] = []

    /// The questions of operations, each once.
    public static func of(_ operations: [(any StoreTransaction) throws -> Void]) -> [Statement] {
        let questions = Questions()
        for operation in operations { try? operation(questions) }
        var known = Set<Statement>()
        return questions.statements.filter { known.insert($0).inserted }
    }

    private init() {}

    public let memory: TransactionCache? = TransactionCache()

    public func goesOnAfterNUL(_ column: String) -> String? { nil }

    public func rows(_ statement: Statement) throws -> [StoredRow] {
        guard statement.onlyAsks else { throw Unanswered() }
        statements.append(statement)
        return []
    }

    public func changes(by statement: Statement) throws -> Int { throw Unanswered() }
}
