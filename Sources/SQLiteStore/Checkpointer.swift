import CSQLite
import Dispatch
import OfferStore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Writes the log back into the file beside the writer, which otherwise does it within the commit that fills the log,
/// while all writers wait: thousands of pages all over the file, and a flush.
///
/// A step copies what was committed so far, on a connection of its own, and locks out neither readers nor the writer.
/// The writer still copies what little is left when the log is full, because only then can the log start over. Both
/// only while this process has the right to (``CheckpointRight``); without it, a full log is left to the process that
/// has it.
final class Checkpointer: Sendable {
    private struct State {
        /// How many pages the log had when the last step began.
        var begun = 0
        var isRunning = false
        var isClosed = false
        /// The mark by which another process was asked to empty the full log.
        var ticket: UInt64?
    }

    private let place: DatabasePlace
    /// After how many pages the writer does the rest.
    private let full: Int
    private let right: CheckpointRight
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "offers.checkpoint", qos: .utility)
    /// The connection that writes the log back, kept open between steps: a new connection reads the whole schema first.
    /// Used on the queue alone, and closed before the writer's, so that the last close cleans up the log.
    private let connection = Mutex<Connection?>(nil)

    /// - Parameter isServer: whether this process serves requests; it then answers those who ask for an empty log.
    init(_ place: DatabasePlace, right: CheckpointRight, full: Int, isServer: Bool) {
        self.place = place
        self.full = full
        self.right = right
        if isServer { listen() }
    }

    /// How many pages a step has at least: fewer would flush the file more often for the same pages.
    private var step: Int { max(1, full / 8) }

    /// Hears of each commit from now on, instead of SQLite's own checkpoint after a number of pages.
    ///
    /// - Parameter connection: the writer's. This value has to live for as long as it commits, or until
    ///   ``stop(watching:)``.
    func watch(_ connection: Connection) {
        sqlite3_wal_hook(
            connection.handle,
            { context, handle, name, pages in
                guard let context else { return SQLITE_OK }
                let checkpointer = Unmanaged<Checkpointer>.fromOpaque(context).takeUnretainedValue()
                if checkpointer.isFull(at: Int(pages)) {
                    // As SQLite's own: a failure is none of the commit's, and the next commit tries again.
                    sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                    checkpointer.finish()
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Ends the watch, and returns when no step runs any more.
    func stop(watching connection: Connection) {
        // One that is closed already has no handle.
        if let handle = connection.handle { sqlite3_wal_hook(handle, nil, nil) }
        state.withLock { $0.isClosed = true }
        queue.sync {}
        self.connection.withLock { $0 = nil }
    }

    /// Whether this process may write the log back.
    var hasRight: Bool { right.isHeldNow }

    /// Lets another process write the log back, once the file is closed.
    func release() { right.release() }

    /// Writes what is in the log into the file and empties the log, or has the process do it that has the right to.
    ///
    /// - Returns: false if others read or write all the time, or no process answers.
    func empty() -> Bool {
        if let isEmpty = queue.sync(execute: { truncate(patience: .seconds(5), holdingWriter: 250) }) { return isEmpty }
        guard let ticket = right.ask() else { return false }
        return Self.wait(.seconds(10)) { right.isAnswered(ticket) }
    }

    /// - Returns: whether the writer is to do the rest now, and then ``finish()``.
    private func isFull(at pages: Int) -> Bool {
        // Never beside a step: before SQLite 3.51.3 commits can be lost where one checkpoint begins while a commit
        // empties the log that another has just copied (decisions 0038 and 0048). A step is due only to what no other
        // process has copied.
        let isDue = state.withLock { state in
            // The log has started over.
            if pages < state.begun { state.begun = 0 }
            guard !state.isRunning, !state.isClosed, pages >= full || pages >= state.begun + step else { return false }
            state.isRunning = true
            return true
        }
        guard isDue else { return false }
        guard right.isOurs() else {
            finish()
            if pages >= full { ask() }
            return false
        }
        if pages >= full { return true }
        state.withLock { $0.begun = pages }
        queue.async {
            self.copy()
            self.finish()
        }
        return false
    }

    private func finish() {
        state.withLock { $0.isRunning = false }
    }

    private func ask() {
        if let ticket = state.withLock({ $0.ticket }), !right.isAnswered(ticket) { return }
        let ticket = right.ask()
        state.withLock { $0.ticket = ticket }
    }

    /// Empties the log whenever another process has asked for it, or the one that wrote it back has ended: with that
    /// the right is taken over, also by a server that commits nothing itself.
    ///
    /// A try that fails, because something reads an older state for long, holds the writer up for a moment, so the next
    /// one waits longer and longer.
    private func listen(after wait: Int = Checkpointer.shortestWait) {
        queue.asyncAfter(deadline: .now() + .milliseconds(wait)) { [weak self] in
            guard let self, !state.withLock({ $0.isClosed }) else { return }
            let ticket = right.asked
            guard ticket != nil || right.isFree else { return listen() }
            guard truncate(patience: .zero, holdingWriter: 25) == true else {
                return listen(after: min(2 * wait, Self.longestWait))
            }
            if let ticket { right.answer(ticket) }
            listen()
        }
    }

    /// How long the server waits before it looks whether it was asked, in milliseconds; after failures, at most.
    private static let (shortestWait, longestWait) = (250, 8_000)

    /// Failing is not told of: the writer's own checkpoint meets the same, and the log has everything.
    private func copy() {
        // A connection knows of a log only after it has read.
        checkpoint(SQLITE_CHECKPOINT_PASSIVE, after: "SELECT 1 FROM sqlite_schema LIMIT 1", waiting: 0)
    }

    /// Copies all of the log and empties it; to be called on the queue.
    ///
    /// - Parameters:
    ///   - patience: for how long it is tried; once at least.
    ///   - milliseconds: how long one try waits for readers of an older state, while no other process or thread can
    ///     write.
    /// - Returns: whether it is empty; `nil` if this process may not write it back.
    private func truncate(patience: Duration, holdingWriter milliseconds: CInt) -> Bool? {
        // The writer may be at it.
        let isIdle = Self.wait(patience) {
            state.withLock { state in
                guard !state.isRunning, !state.isClosed else { return false }
                state.isRunning = true
                return true
            }
        }
        guard isIdle else { return false }
        defer { finish() }
        // Asked twice, because the call that takes the right is not yet a yes.
        guard right.isOurs() || right.isOurs() else { return nil }
        // A commit of our own first: the log then holds what no other process has copied, so none empties it before we
        // do.
        return Self.wait(patience) {
            checkpoint(SQLITE_CHECKPOINT_TRUNCATE, after: Self.change, waiting: milliseconds)
        }
    }

    /// Flushes the log as it is, and its name.
    func flush() throws {
        let path = CheckpointRight.resolved(place.path)
        for (name, flags) in [(path + "-wal", O_RDONLY), (DatabaseFile.folder(of: path), O_RDONLY | O_DIRECTORY)] {
            let descriptor = open(name, flags | O_CLOEXEC)
            if descriptor < 0, errno == ENOENT { continue }
            let isFlushed = descriptor >= 0 && DatabaseFile.flush(descriptor) == 0
            if descriptor >= 0 { close(descriptor) }
            guard isFlushed else { throw StoreError.unavailable("`\(name)` cannot be flushed to the disk") }
        }
    }

    /// Changes what nothing depends on, each time to something else: SQLite writes no page that stays the same.
    static let change = "UPDATE store_state SET tried_at = COALESCE(tried_at, 0) % 4102444800000 + 1 WHERE id = 1"

    @discardableResult
    private func checkpoint(_ mode: CInt, after sql: String, waiting milliseconds: CInt) -> Bool {
        connection.withLock { kept in
            do {
                let connection = try kept ?? place.connect(.readWrite, waiting: milliseconds)
                kept = connection
                try connection.runScript(
                    "PRAGMA busy_timeout = \(milliseconds); PRAGMA synchronous = FULL; \(sql)")
                return connection.checkpoint(mode)
            } catch {
                kept = nil
                return false
            }
        }
    }

    private static func wait(_ patience: Duration, until isDone: () -> Bool) -> Bool {
        let end = ContinuousClock.now.advanced(by: patience)
        while !isDone() {
            if ContinuousClock.now >= end { return false }
            usleep(10_000)
        }
        return true
    }
}

/// The right to write the log back into the file, held by at most one process at a time, and no command while a server
/// has the file open.
///
/// Before SQLite 3.51.3 commits can be lost where two connections write the log back at once while a third empties it
/// (decision 0048). The locks lie on a file beside the database, and the system releases them with the process. It also
/// says which files servers have open, so that a command can tell whether the path leads to other files.
final class CheckpointRight: Sendable {
    /// Of the file's name, after that of the database.
    static let ending = "-checkpoint"

    /// The meaning of a byte of the file.
    private enum Place: off_t {
        /// Locked by the process that may write the log back.
        case right
        /// Locked by every server, together with the others.
        case presence
        /// Locked for as long as it takes to ask.
        case asking
    }

    private let descriptor: Int32
    private let isServer: Bool
    private let isHeld = Mutex(false)

    init(beside path: String, isServer: Bool) throws {
        self.isServer = isServer
        descriptor = try Self.make(Self.resolved(path) + Self.ending, like: path)
        guard isServer else { return }
        // Before the lock that makes others read it.
        for (offset, file) in zip(Self.fileOffsets, DatabasePlace.identities(path)) {
            _ = write(file?.device ?? 0, at: offset) && write(file?.inode ?? 0, at: offset + 8)
        }
        guard lock(.presence, F_RDLCK) else {
            close(descriptor)
            throw StoreError.unavailable("`\(path)\(Self.ending)` cannot be locked")
        }
        _ = isOurs()
    }

    deinit { close(descriptor) }

    /// Whether this process may write the log back now.
    ///
    /// Not yet in the call that takes the right: its last holder may have copied all that is in the log, and only a
    /// commit of this process's own makes sure that there is more. Must not be called while the log is being written
    /// back: a command that sees a server gives the right away.
    func isOurs() -> Bool {
        isHeld.withLock { isHeld in
            if !isServer, isServerPresent {
                if isHeld { _ = lock(.right, F_UNLCK) }
                isHeld = false
                return false
            }
            if isHeld { return true }
            isHeld = lock(.right, F_WRLCK)
            return false
        }
    }

    var isHeldNow: Bool { isHeld.withLock { $0 } }

    /// Whether no process has it.
    var isFree: Bool { isHeld.withLock { isHeld in !isHeld && !Self.isLocked(.right, descriptor) } }

    func release() {
        isHeld.withLock { isHeld in
            isHeld = false
            for place in [Place.right, .presence] { _ = lock(place, F_UNLCK) }
        }
    }

    /// Asks the process that has the right to empty the log.
    ///
    /// - Returns: what ``isAnswered(_:)`` is asked with; `nil` if the file cannot be written.
    func ask() -> UInt64? {
        guard lock(.asking, F_WRLCK, waits: true) else { return nil }
        defer { _ = lock(.asking, F_UNLCK) }
        let ticket = max(number(at: 0), number(at: 8)) &+ 1
        return write(ticket, at: 0) ? ticket : nil
    }

    /// Whether the log was emptied after it was asked for.
    func isAnswered(_ ticket: UInt64) -> Bool { number(at: 8) >= ticket }

    var asked: UInt64? {
        let asked = number(at: 0)
        return asked > number(at: 8) ? asked : nil
    }

    /// Tells everyone up to a ticket that the log was emptied.
    func answer(_ ticket: UInt64) { _ = write(ticket, at: 8) }

    /// The files that servers started at this path have open, as ``DatabasePlace/identities(_:)``; `nil` if
    /// none runs.
    static func filesOfServer(beside path: String) -> [FileIdentity?]? {
        let descriptor = open(resolved(path) + ending, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard isServerPresent(descriptor) else { return nil }
        return fileOffsets.map { offset in
            let inode = number(at: offset + 8, of: descriptor)
            return inode == 0 ? nil : FileIdentity(device: number(at: offset, of: descriptor), inode: inode)
        }
    }

    /// Where it has the device and the inode of each file that servers have open.
    private static let fileOffsets: [off_t] = [16, 32, 48]

    private var isServerPresent: Bool { Self.isServerPresent(descriptor) }

    private static func isServerPresent(_ descriptor: Int32) -> Bool { isLocked(.presence, descriptor) }

    /// Whether another open file has a lock there.
    private static func isLocked(_ place: Place, _ descriptor: Int32) -> Bool {
        var found = range(place, F_WRLCK)
        return fcntl(descriptor, getLock, &found) != 0 || found.l_type != Int16(F_UNLCK)
    }

    // Locks of the open file and not of the process, which would lose them all as soon as it closes the file anywhere.
    #if os(macOS)
        private static let (getLock, setLock, waitForLock) = (F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW)
    #else
        private static let (getLock, setLock, waitForLock): (Int32, Int32, Int32) = (36, 37, 38)
    #endif

    private func lock(_ place: Place, _ type: Int32, waits: Bool = false) -> Bool {
        var lock = Self.range(place, type)
        return fcntl(descriptor, waits ? Self.waitForLock : Self.setLock, &lock) == 0
    }

    private static func range(_ place: Place, _ type: Int32) -> flock {
        var range = flock()
        range.l_type = Int16(truncatingIfNeeded: type)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = place.rawValue
        range.l_len = 1
        return range
    }

    private func number(at offset: off_t) -> UInt64 { Self.number(at: offset, of: descriptor) }

    private static func number(at offset: off_t, of descriptor: Int32) -> UInt64 {
        var number: UInt64 = 0
        let length = MemoryLayout<UInt64>.size
        return pread(descriptor, &number, length, offset) == length ? UInt64(littleEndian: number) : 0
    }

    private func write(_ number: UInt64, at offset: off_t) -> Bool {
        var bytes = number.littleEndian
        let length = MemoryLayout<UInt64>.size
        return pwrite(descriptor, &bytes, length, offset) == length
    }

    /// The path without symbolic links, as SQLite names its own files: processes that open the database by
    /// different links must find each other.
    static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// A file that the owner of the database can use, whichever user makes it: as SQLite does with its own beside the
    /// database.
    private static func make(_ path: String, like database: String) throws -> Int32 {
        var status = stat()
        guard stat(database, &status) == 0 else { throw StoreError.unavailable("the database file cannot be opened") }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, status.st_mode & 0o666)
        guard descriptor >= 0 else {
            throw StoreError.readOnly("`\(path)` cannot be written by this user, and says who writes the log back")
        }
        if geteuid() == 0 { _ = fchown(descriptor, status.st_uid, status.st_gid) }
        return descriptor
    }
}
