import Dispatch
import OfferStore
import Synchronization

/// Reading connections, each used by one thread at a time.
///
/// A body runs where its caller runs. There are never more connections in use than threads, so none waits for one.
final class Readers: Sendable {
    private struct State {
        var idle: [Connection] = []
        var isClosed = false
    }

    /// How many stay open; what more were needed at once are closed again.
    private static let kept = 8

    private let path: String
    /// Absent for a file that no other process uses.
    private let place: DatabasePlace?
    private let state = Mutex(State())

    init(path: String, place: DatabasePlace? = nil) {
        self.path = path
        self.place = place
    }

    func read<T>(_ body: (any StoreTransaction) throws -> T) throws -> T {
        let connection = try take()
        defer { giveBack(connection) }
        let value = try connection.reading(body)
        try place?.check()
        return value
    }

    /// A snapshot that several bodies read, or why there is none.
    enum Snapshot {
        case open(Connection, DatabasePlace?)
        case failed(any Error)

        func read<T>(_ body: (any StoreTransaction) throws -> T) throws -> T {
            switch self {
            case .open(let connection, let place):
                // A body before may have met an error after which SQLite ends the transaction.
                guard connection.isInTransaction else { throw StoreError.unavailable("the snapshot has ended") }
                let value = try body(connection)
                try place?.check()
                return value
            case .failed(let error): throw error
            }
        }
    }

    /// Runs a body with one snapshot; once, also if there is none.
    func withSnapshot(_ body: (Snapshot) -> Void) {
        do {
            let connection = try take()
            defer { giveBack(connection) }
            // Throws only before the body: how a snapshot ends is not an error.
            try connection.reading { _ in body(.open(connection, place)) }
        } catch {
            body(.failed(error))
        }
    }

    /// Closes what is idle; a look that has begun closes its connection when it is done.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        withExtendedLifetime(idle) {}
    }

    /// The one used last has the most of the file in its memory.
    private func take() throws -> Connection {
        let known = try state.withLock { state in
            if state.isClosed { throw StoreError.unavailable("the database is closed") }
            return state.idle.popLast()
        }
        return try known ?? place?.connect(.readOnly) ?? Connection(path: path, .readOnly)
    }

    private func giveBack(_ connection: Connection) {
        // A snapshot that could not be ended would be seen by every later look.
        guard !connection.isInTransaction else { return }
        state.withLock { state in
            if !state.isClosed, state.idle.count < Self.kept { state.idle.append(connection) }
        }
    }
}

/// Quick reads that share snapshots: those that arrive while one runs are run together, one after the other, on the
/// next snapshot (docs/decisions/0061).
///
/// SQLite empties a connection's page cache when a snapshot finds a new commit, so under load each snapshot reads its
/// pages again; some, such as the roots of the trees, are the same for every customer.
final class SharedLooks: Sendable {
    private typealias Look = @Sendable (Readers.Snapshot) -> Void

    private struct State {
        var waiting: [Look] = []
        /// How many snapshots are in use.
        var snapshots = 0
    }

    /// At most this many reads share a snapshot, so that none waits long for those before it.
    private static let looksInSnapshot = 16

    private let readers: Readers
    private let snapshotsAtOnce: Int
    private let state = Mutex(State())

    /// - Parameter snapshots: how many are used at once, each by one thread. With as many as there are cores, nothing
    ///   would wait and nothing would be shared.
    init(_ readers: Readers, snapshots: Int) {
        self.readers = readers
        snapshotsAtOnce = snapshots
    }

    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Runs a body on a snapshot that begins after this call: on the caller's thread if a snapshot is free.
    ///
    /// - Throws: what the body throws, `CancellationError` if the task is cancelled already, or ``StoreError``. A body
    ///   that runs together with others is not interrupted.
    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        try Task.checkCancellation()
        if state.withLock({ takeSnapshot(&$0) }) {
            defer { goOn() }
            return try readers.read(body)
        }
        return try await withCheckedThrowingContinuation { continuation in
            let isFree = state.withLock { state in
                state.waiting.append { snapshot in
                    continuation.resume(with: Result { try snapshot.read(body) })
                }
                // The snapshot that was in use may have ended meanwhile.
                return takeSnapshot(&state)
            }
            if isFree { goOn() }
        }
    }

    private func takeSnapshot(_ state: inout State) -> Bool {
        guard state.snapshots < snapshotsAtOnce else { return false }
        state.snapshots += 1
        return true
    }

    /// Passes a snapshot's place on to those that wait, or frees it. A task of its own runs them, so that no
    /// request waits for reads of others that came later.
    private func goOn() {
        let looks = state.withLock { state in
            let looks = Array(state.waiting.prefix(Self.looksInSnapshot))
            state.waiting.removeFirst(looks.count)
            if looks.isEmpty { state.snapshots -= 1 }
            return looks
        }
        guard !looks.isEmpty else { return }
        Task.detached {
            self.readers.withSnapshot { snapshot in
                for look in looks { look(snapshot) }
            }
            self.goOn()
        }
    }
}
