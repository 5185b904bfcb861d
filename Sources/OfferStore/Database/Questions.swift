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
