import CPostgres
import OfferStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What is sent to a server.
enum ServerMessage {
    /// A command without values, such as `COMMIT`.
    case text(String)
    case statement(Statement)
}

/// A connection of libpq that sends several statements before it reads an answer.
///
/// Never blocking on a full socket: the server may wait for its answers to be read before it reads on.
final class Pipeline {
    /// More texts than the service has; only questions about unusually many identifiers add to them.
    static let capacity = 512

    private let count: @Sendable () -> Void

    /// - Parameter count: called for each round trip.
    init(count: @escaping @Sendable () -> Void = {}) { self.count = count }

    private enum Awaited {
        case prepared(sql: String, name: String)
        case answer
        case end
    }

    private var handle: OpaquePointer?
    /// The names of the prepared statements, by their text.
    private var prepared: [String: String] = [:]
    private var preparations = 0
    /// What was sent and not read yet.
    private var awaited: [Awaited] = []

    deinit { close() }

    /// Connects, again if it was connected.
    func connect(to url: String) throws {
        close()
        if let reason = offerd_pq_load() {
            throw StoreError.unreachable("PostgreSQL's client library cannot be loaded: \(String(cString: reason))")
        }
        handle = offerd_pq_connect(url)
        guard isConnected else {
            let message = Self.withoutSecrets(Self.message(handle), of: url)
            close()
            throw StoreError.unreachable("the database cannot be reached: \(message)")
        }
        do {
            try run(script: Self.settings)
        } catch {
            close()
            throw error
        }
    }

    private static let settings = """
        SET client_encoding = 'UTF8'; SET client_min_messages = 'error'; SET standard_conforming_strings = on;
        SET TIME ZONE 'UTC'; SET statement_timeout = 0; SET lock_timeout = '5s';
        \(ofPlans); \(ofLostClients)
        """

    /// Every question has an index: a plan should not depend on how many rows there were when the server last counted them.
    /// A plan that still needs such a scan looks so expensive that PostgreSQL would compile it.
    private static let ofPlans =
        "SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan"

    /// A reader that stops would keep the server from cleaning up, and a process whose network is cut would keep its
    /// connections for hours.
    private static let ofLostClients = """
        SET idle_in_transaction_session_timeout = '10min'; SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2;
        SET tcp_keepalives_count = 3; SET tcp_user_timeout = '10s'
        """

    /// The words of libpq without the URL and its password, which some of them repeat.
    private static func withoutSecrets(_ message: String, of url: String) -> String {
        let user = url.split(separator: "//", maxSplits: 1).last.flatMap { rest in
            rest.lastIndex(of: "@").map { rest[..<$0] }
        }
        let password = user?.split(separator: ":", maxSplits: 1).dropFirst().first.map(String.init)
        return [url, password].compactMap(\.self).reduce(message) { $0.replacing($1, with: "…") }
    }

    /// Closes it; a second call does nothing.
    func close() {
        (prepared, awaited) = ([:], [])
        if let handle = handle.take() { offerd_pq_finish(handle) }
    }

    var isConnected: Bool { handle.map { offerd_pq_status($0) == OFFERD_PQ_CONNECTION_OK } ?? false }

    var isInTransaction: Bool {
        guard let handle, isConnected else { return false }
        return offerd_pq_transactionStatus(handle) != OFFERD_PQ_IDLE
    }

    private func open() throws -> OpaquePointer {
        guard let handle else { throw StoreError.unreachable("the connection to the database is closed") }
        return handle
    }

    private static func message(_ handle: OpaquePointer?) -> String {
        String(cString: offerd_pq_errorMessage(handle)).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private func lost() -> StoreError {
        .unreachable("the connection to the database is lost: \(Self.message(handle))")
    }

    /// A setting that the server reports, such as `server_encoding`.
    func parameter(_ name: String) throws -> String? {
        offerd_pq_parameterStatus(try open(), name).map { String(cString: $0) }
    }

    /// The server's version, such as 150018 for 15.18.
    func version() throws -> Int { Int(offerd_pq_serverVersion(try open())) }

    /// Runs statements one after the other, which no pipeline does.
    func run(script: String) throws {
        let handle = try open()
        try readAnswers()
        offerd_pq_exitPipelineMode(handle)
        defer { offerd_pq_enterPipelineMode(handle) }
        _ = try PostgresResult(offerd_pq_exec(handle, script), on: handle)
    }

    /// Sends rows in COPY's binary format.
    ///
    /// - Parameter sql: a `COPY … FROM STDIN`; it is a transaction of its own.
    func copy(_ sql: String, _ data: [UInt8]) throws {
        let handle = try open()
        try readAnswers()
        offerd_pq_exitPipelineMode(handle)
        defer { offerd_pq_enterPipelineMode(handle) }
        let begun = offerd_pq_exec(handle, sql)
        guard offerd_pq_resultStatus(begun) == OFFERD_PQ_COPY_IN else {
            _ = try PostgresResult(begun, on: handle)
            throw StoreError.unavailable("the database failed: it did not take rows")
        }
        offerd_pq_clear(begun)
        try data.withUnsafeBytes { bytes in
            let start = bytes.bindMemory(to: CChar.self).baseAddress
            for place in stride(from: 0, to: bytes.count, by: Self.chunk) {
                let size = min(Self.chunk, bytes.count - place)
                try retried(handle) { offerd_pq_putCopyData(handle, start.map { $0 + place }, CInt(clamping: size)) }
            }
        }
        try retried(handle) { offerd_pq_putCopyEnd(handle, nil) }
        try flush(handle)
        var failure: (any Error)?
        while let result = offerd_pq_getResult(handle) {
            do { _ = try PostgresResult(result, on: handle) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// libpq copies what it is given.
    private static let chunk = 1 << 20

    /// Calls a function again while the socket takes no more.
    private func retried(_ handle: OpaquePointer, _ call: () -> CInt) throws {
        while true {
            switch call() {
            case 1: return
            case 0: try flush(handle)
            default: throw lost()
            }
        }
    }

    /// Sends messages and reads the answer to each.
    ///
    /// - Throws: the first failure; the server has run nothing after it.
    func roundTrip(_ messages: [ServerMessage]) throws -> [PostgresResult] {
        try begin(messages)
        // Before them may come the answer to what was sent alone.
        return try readAnswers().suffix(messages.count)
    }

    /// Sends messages that may wait for a lock, and reads the answer to each.
    ///
    /// - Parameters:
    ///   - joining: asked for further messages while they wait, whose answers follow.
    ///   - start: after how long without an answer they wait for a lock.
    ///   - end: when no more may join.
    func roundTrip(
        _ messages: [ServerMessage], joining: () -> [ServerMessage], after start: Duration,
        until end: ContinuousClock.Instant
    ) throws -> [PostgresResult] {
        try begin(messages)
        let joined = try sendWhileWaiting(joining, after: start, until: end)
        return try readAnswers().suffix(messages.count + joined)
    }

    private func begin(_ messages: [ServerMessage]) throws {
        if prepared.count >= Self.capacity {
            try readAnswers()
            if !isInTransaction {
                try run(script: "DEALLOCATE ALL")
                prepared.removeAll(keepingCapacity: true)
            }
        }
        try send(messages)
        count()
    }

    /// - Returns: how many messages were sent.
    private func sendWhileWaiting(
        _ joining: () -> [ServerMessage], after start: Duration, until end: ContinuousClock.Instant
    ) throws -> Int {
        let handle = try open()
        var (count, wait) = (0, CInt(clamping: Int64(start / .milliseconds(1))))
        while ContinuousClock.now < end {
            var descriptor = pollfd(
                fd: offerd_pq_socket(handle), events: Int16(truncatingIfNeeded: POLLIN), revents: 0)
            guard poll(&descriptor, 1, max(1, wait)) == 0 else { break }
            wait = 1
            let messages = joining()
            if messages.isEmpty { continue }
            try send(messages)
            count += messages.count
        }
        return count
    }

    /// Sends a message whose answer is read with the next one's.
    func send(_ message: ServerMessage) throws {
        try send([message])
    }

    private func send(_ messages: [ServerMessage]) throws {
        let handle = try open()
        for message in messages {
            switch message {
            case .text(let sql):
                guard offerd_pq_sendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1) == 1 else { throw lost() }
            case .statement(let statement):
                let name = try preparedName(of: statement.sql, on: handle)
                let isSent = try PostgresParameters(statement.values).withPointers { values, lengths, formats in
                    offerd_pq_sendQueryPrepared(
                        handle, name, CInt(clamping: values.count), values.baseAddress, lengths.baseAddress,
                        formats.baseAddress, 1)
                }
                guard isSent == 1 else { throw lost() }
            }
            awaited.append(.answer)
        }
        guard offerd_pq_pipelineSync(handle) == 1 else { throw lost() }
        awaited.append(.end)
        try flush(handle)
    }

    private func flush(_ handle: OpaquePointer) throws {
        while true {
            switch offerd_pq_flush(handle) {
            case 0: return
            case 1:
                var descriptor = pollfd(
                    fd: offerd_pq_socket(handle), events: Int16(truncatingIfNeeded: POLLIN | POLLOUT), revents: 0)
                poll(&descriptor, 1, -1)
                guard descriptor.revents & Int16(truncatingIfNeeded: POLLIN) == 0 || offerd_pq_consumeInput(handle) == 1
                else {
                    throw lost()
                }
            default: throw lost()
            }
        }
    }

    @discardableResult
    private func readAnswers() throws -> [PostgresResult] {
        let handle = try open()
        var answers: [PostgresResult] = []
        var failure: (any Error)?
        for item in awaited {
            guard let result = offerd_pq_getResult(handle) else { throw gone() }
            if case .end = item {
                defer { offerd_pq_clear(result) }
                guard offerd_pq_resultStatus(result) == OFFERD_PQ_PIPELINE_SYNC else { throw gone() }
                continue
            }
            do {
                let answer = try PostgresResult(result, on: handle)
                if case .prepared(let sql, let name) = item { prepared[sql] = name } else { answers.append(answer) }
            } catch {
                failure = failure ?? error
            }
            // The end of the answer.
            guard isConnected, offerd_pq_getResult(handle) == nil else { throw failure ?? gone() }
        }
        awaited = []
        if let failure {
            if case StoreError.unreachable = failure { close() }
            throw failure
        }
        return answers
    }

    /// A connection whose answers do not come is not used again.
    private func gone() -> StoreError {
        let error = lost()
        close()
        return error
    }

    private func preparedName(of sql: String, on handle: OpaquePointer) throws -> String {
        if let name = prepared[sql] ?? pending(sql) { return name }
        preparations += 1
        let name = "s\(preparations)"
        guard offerd_pq_sendPrepare(handle, name, Self.numbered(sql), 0, nil) == 1 else { throw lost() }
        awaited.append(.prepared(sql: sql, name: name))
        return name
    }

    /// The name under which this round trip prepares a text.
    private func pending(_ sql: String) -> String? {
        for case .prepared(let other, let name) in awaited where other == sql { return name }
        return nil
    }

    /// The text with `$1` in place of `?1`. No text of a statement has a question mark in it.
    private static func numbered(_ sql: String) -> String { sql.replacing("?", with: "$") }
}

func pause(milliseconds: UInt32) { usleep(milliseconds * 1_000) }
