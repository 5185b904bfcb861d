import CPostgres
import OfferStore

/// One connection to a server, with the statements that it has prepared. One thread at a time may use it.
///
/// What needs an answer is one round trip, and takes along what was put off until then: the beginning of a transaction,
/// and statements of which nothing is asked (docs/decisions/0070).
final class PostgresConnection: @unchecked Sendable {
    private let url: String
    let pipeline: Pipeline
    /// What goes with the next statement that is asked something.
    private var deferred: [ServerMessage] = []
    /// The rows of statements that will be asked for, each with its answer.
    private var fetched: [Statement: PostgresResult] = [:]
    /// The same for each body of a batch.
    private var expected: [[Statement: PostgresResult]] = []
    /// What the running body concerns; absent if it may be anything.
    private var concerned: Set<Concern>?
    private var knownWords: [String: Set<String>] = [:]
    private var state = State.idle
    /// Which of its commits the connection is at; see ``mark``.
    private var number: Int64 = 0
    let name = PostgresConnection.newName()
    /// What a connection that writes is set to.
    private var settings: String?
    /// How long it waits for another process that writes. Bodies join for a fifth of that, so that the last of them still
    /// have enough time to wait.
    private var patience = Duration.zero
    /// How long a round trip takes that costs the server nothing, as it was when the database was opened.
    private(set) var trip = Duration.zero
    private var onLock: (Duration) -> Void = { _ in }
    /// Compares each prefetched answer with what the server says then; for tests.
    private let checksPrefetched: Bool
    /// The first answer that was used although it no longer held: no second attempt may hide it.
    private var outOfDate: StoreError?
    var memory: TransactionCache?

    private enum State {
        case idle, reading, asking, asked, writing
    }

    /// - Parameter url: as libpq takes it: `postgres://user@host/database?sslmode=verify-full`.
    /// - Throws: ``StoreError/unreachable(_:)`` if libpq cannot be loaded or the server does not answer.
    init(url: String, checksPrefetched: Bool = false, count: @escaping @Sendable () -> Void = {}) throws {
        self.url = url
        self.checksPrefetched = checksPrefetched
        pipeline = Pipeline(count: count)
        try pipeline.connect(to: url)
    }

    /// Closes it; every later use throws. A second call does nothing.
    func close() { pipeline.close() }

    /// Runs statements that answer with nothing, each without being prepared: the schema and settings.
    func runScript(_ sql: String) throws { try pipeline.run(script: sql) }

    /// Sends what was put off and some statements.
    ///
    /// - Returns: the answers of the statements.
    private func ask(_ messages: [ServerMessage]) throws -> [PostgresResult] {
        let before = deferred.count
        let all = deferred + messages
        deferred = []
        return Array(try pipeline.roundTrip(all).dropFirst(before))
    }

    private func answer(_ statement: Statement) throws -> PostgresResult {
        switch state {
        case .reading, .asking: try Task.checkCancellation()
        case .asked: throw StoreError.unavailable("a second question has no snapshot")
        case .idle, .writing: break
        }
        if state == .asking { state = .asked }
        if !statement.onlyAsks { forget(what: statement) }
        if let known = fetched[statement] {
            if checksPrefetched { try check(known, statement) }
            return known
        }
        guard let answer = try ask([.statement(statement)]).last else { throw StoreError.unreachable("no answer") }
        return answer
    }

    private func check(_ known: PostgresResult, _ statement: Statement) throws {
        let now = try ask([.statement(statement)]).last
        guard try now?.copiedRows() == known.copiedRows() else {
            let error = StoreError.corrupt("the prefetched answer to `\(statement.sql)` is out of date")
            outOfDate = error
            throw error
        }
    }
}

extension PostgresConnection: StoreTransaction {
    func goesOnAfterNUL(_ column: String) -> String? { nil }

    func rows(_ statement: Statement) throws -> [StoredRow] { try answer(statement).copiedRows() }

    func each(_ statement: Statement, _ body: (any StoredColumns) throws -> Void) throws {
        let answer = try answer(statement)
        for row in 0..<answer.count {
            answer.row = row
            try body(answer)
        }
    }

    func execute(_ statement: Statement) throws {
        guard state == .writing else { return _ = try changes(by: statement) }
        // It would be another body's failure later.
        try PostgresParameters.check(statement.values)
        forget(what: statement)
        deferred.append(.statement(statement))
        if deferred.count >= Self.mostDeferred { _ = try ask([]) }
    }

    func changes(by statement: Statement) throws -> Int {
        forget(what: statement)
        return try ask([.statement(statement)]).last?.changes ?? 0
    }

    /// A server keeps the answers until they are read, and the client its statements.
    private static let mostDeferred = 1_000

    var prefetches: Bool { true }

    func concerns(_ others: () -> [Concern]) {
        guard !expected.isEmpty, let concerned, !concerned.isSuperset(of: others()) else { return }
        expected = []
    }

    func prefetch(_ statements: [Statement]) throws {
        let new = statements.filter { fetched[$0] == nil }
        guard !new.isEmpty else { return }
        for (statement, answer) in zip(new, try ask(new.map(ServerMessage.statement))) { fetched[statement] = answer }
    }

    /// All words of a text, the names of its tables among them.
    private func allWords(of sql: String) -> Set<String> {
        if let known = knownWords[sql] { return known }
        let words = sql.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }
        let found = Set(words.map(String.init))
        if knownWords.count >= Pipeline.capacity { knownWords.removeAll(keepingCapacity: true) }
        knownWords[sql] = found
        return found
    }

    /// Drops the answers that a change may make wrong: this body's by the changed table, the later bodies' unless each
    /// body changes only rows there of what it concerns (``Table/changedApart``).
    private func forget(what change: Statement) {
        guard !fetched.isEmpty || !expected.isEmpty else { return }
        let words = change.sql.split(separator: " ", maxSplits: 3).prefix(3)
        guard let name = words.first(where: { !["INSERT", "INTO", "UPDATE", "DELETE", "FROM"].contains($0) }) else {
            return
        }
        let names = Table.names(showing: String(name))
        fetched = fetched.filter { statement, _ in allWords(of: statement.sql).isDisjoint(with: names) }
        if !Table.changedApart.contains(String(name)) { expected = [] }
    }
}

// Transactions.

extension PostgresConnection: WriterConnection {
    var isInTransaction: Bool { state != .idle || pipeline.isInTransaction }

    /// Whether it can begin a transaction: it is connected, and the last one has ended.
    var isUsable: Bool { state == .idle && pipeline.isConnected }

    private static let lock = ServerMessage.text("SELECT 1 FROM store_state WHERE id = 1 FOR UPDATE")

    private static func newName() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(generator.next() as UInt64, radix: 16) + String(generator.next() as UInt64, radix: 16)
    }

    /// What a commit leaves behind, by which its outcome can be found. The server's number of the transaction would not
    /// do: after a crash it may be given again.
    private var mark: Statement {
        Statement(
            """
            INSERT INTO commit_mark (writer, number) VALUES (?1, ?2)
            ON CONFLICT (writer) DO UPDATE SET number = excluded.number, at = now()
            """, name, number)
    }

    /// Locks the row that every writer of every process locks first, so that what it reads later is all that was
    /// committed before. The time that it waits for is a setting of the connection, whatever the deadline.
    func beginWriting(
        until deadline: ContinuousClock.Instant, expecting first: [ExpectedBody], joining: () -> [ExpectedBody]
    ) throws {
        if let outOfDate { throw outOfDate }
        var bodies: [ExpectedBody] = []
        var known = Set<Statement>()
        var questions: [Statement] = []
        func add(_ new: [ExpectedBody]) -> [Statement] {
            bodies += new
            let asked = new.flatMap(\.questions).filter { known.insert($0).inserted }
            questions += asked
            return asked
        }
        _ = add(first)
        if !pipeline.isConnected { try connect() }
        do {
            try begin(questions) { add(joining()) }
        } catch StoreError.unreachable where !pipeline.isConnected {
            // The server has restarted, or another one has taken over: nothing was done yet.
            try connect()
            try begin(questions) { add(joining()) }
        } catch StoreError.busy {
            throw StoreError.busy("another process holds the database")
        } catch  where !questions.isEmpty {
            // A question that fails must not fail those who would not have asked it.
            try begin([]) { [] }
        }
        let answers = fetched
        expected = bodies.map { body in
            body.questions.reduce(into: [:]) { $0[$1] = answers[$1] }
        }
        fetched = [:]
    }

    /// Connects, and makes sure that what is committed on this server is kept.
    private func connect() throws {
        try pipeline.connect(to: url)
        try requireSettings()
        if let settings { try pipeline.run(script: settings) }
    }

    /// Makes this the connection that writes.
    ///
    /// - Parameters:
    ///   - patience: how long it waits for another process.
    ///   - stall: how long its transactions may send nothing before the server ends them.
    ///   - onLock: is told how long each transaction took to begin.
    func prepareToWrite(patience: Duration, stall: Duration, onLock: @escaping (Duration) -> Void) throws {
        (self.patience, self.onLock) = (patience, onLock)
        trip =
            try (0..<3).map { _ in try ContinuousClock().measure { _ = try rows(Statement("SELECT 1")) } }.min()
            ?? .zero
        func milliseconds(_ duration: Duration) -> String { "'\(max(1, duration / .milliseconds(1)).rounded())ms'" }
        let settings = """
            SET idle_in_transaction_session_timeout = \(milliseconds(stall));
            SET lock_timeout = \(milliseconds(patience))
            """
        self.settings = settings
        try requireSettings()
        try pipeline.run(script: settings)
        _ = try changes(by: Statement("DELETE FROM commit_mark WHERE at < now() - interval '1 day'"))
    }

    private func begin(_ first: [Statement], joining: () -> [Statement]) throws {
        let start = ContinuousClock.now
        defer { onLock(.now - start) }
        do {
            var questions = first
            let answers = try pipeline.roundTrip(
                [.text("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"), Self.lock]
                    + first.map(ServerMessage.statement),
                joining: {
                    let new = joining()
                    questions += new
                    return new.map(ServerMessage.statement)
                }, after: trip * 2, until: start + patience / 5)
            for (question, answer) in zip(questions, answers.dropFirst(2)) { fetched[question] = answer }
            state = .writing
            number += 1
            deferred = [.statement(mark)]
        } catch {
            try? rollback()
            throw error
        }
    }

    var asksAhead: Bool { true }

    func begin(_ body: ExpectedBody, knowing number: Int?) throws {
        concerned = body.concerns
        if let number, expected.indices.contains(number) {
            fetched = expected[number]
        } else {
            fetched = [:]
            try prefetch(body.questions)
        }
    }

    /// A statement that fails undoes the transaction on the server, and the connection goes on. After a commit whose
    /// outcome is unknown nothing may be tried again.
    func isOfStatement(_ error: StoreError) -> Bool {
        if case .unreachable = error { return false }
        return pipeline.isConnected
    }

    func dropDeferred() { deferred = [] }

    func commit() throws {
        defer { end() }
        do {
            // The server answers the commit of a transaction in which a statement failed by undoing it.
            guard try ask([.text("COMMIT")]).last?.command == "COMMIT" else {
                throw StoreError.unavailable("the transaction was undone, because one of its statements had failed")
            }
        } catch let lost as StoreError where !pipeline.isConnected {
            guard try isCommitted() else { throw lost }
        }
    }

    private func end() {
        state = .idle
        (deferred, fetched, expected) = ([], [:], [])
    }

    /// How long the outcome of a commit is looked for: as long as another server may need to take over.
    private static let longestLook = Duration.seconds(15)

    /// Whether the last transaction was committed, whose connection was lost before the answer came.
    ///
    /// Its lock has to be free, so it has ended; and the commit of the look itself makes sure that a standby has
    /// everything before it too.
    ///
    /// - Throws: ``StoreError/unreachable(_:)`` if no server says so in time; then it may have been.
    private func isCommitted() throws -> Bool {
        let deadline = ContinuousClock.now + Self.longestLook
        while true {
            do {
                if !pipeline.isConnected { try connect() }
                let found = try pipeline.roundTrip([
                    .text("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"), Self.lock,
                    .statement(
                        Statement("UPDATE commit_mark SET at = now() WHERE writer = ?1 AND number = ?2", name, number)),
                    .text("COMMIT"),
                ])
                return found.dropFirst(2).first?.changes == 1
            } catch {
                try? rollback()
                guard ContinuousClock.now < deadline else {
                    throw StoreError.unreachable("the outcome of a commit is unknown")
                }
                pause(milliseconds: 50)
            }
        }
    }

    func rollback() throws {
        let hasBegun = pipeline.isInTransaction
        end()
        guard hasBegun, pipeline.isConnected else { return }
        _ = try pipeline.roundTrip([.text("ROLLBACK")])
    }

    /// Runs a body on a snapshot, and lets it write nothing.
    func reading<T>(_ body: (any StoreTransaction) throws -> T) throws -> T {
        deferred = [.text("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")]
        state = .reading
        memory = TransactionCache(ofSnapshot: true)
        defer {
            memory = nil
            let isUnused = !deferred.isEmpty
            end()
            // A failure that ended the transaction has been thrown already.
            if !isUnused { try? pipeline.send(.text("ROLLBACK")) }
        }
        return try body(self)
    }

    /// Runs a body that asks one question, which is a transaction of its own.
    func readingOnce<T>(_ body: (any StoreTransaction) throws -> T) throws -> T {
        state = .asking
        defer { end() }
        return try body(self)
    }
}

/// A connection for statements about whole databases.
package final class PostgresAdministration {
    private let connection: PostgresConnection

    package init(url: String) throws { connection = try PostgresConnection(url: url) }

    package func run(_ sql: String) throws { try connection.runScript(sql) }

    package func texts(_ sql: String) throws -> [String] {
        try connection.rows(Statement(sql, values: [])).map { try $0.value(0) }
    }

    package func close() { connection.close() }
}
