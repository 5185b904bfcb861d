import Glibc
import OfferStore
import Synchronization

/// Which process writes the log back into the file: at most one at a time, and no command while a server has the file open.
///
/// Before SQLite 3.51.3 commits can be lost where two connections write the log back at once while a third empties it
/// (decision 0048). The locks lie on a file beside the database, and the system releases them with the process.
final class CheckpointRight: Sendable {
    /// What a byte of the file stands for.
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
        descriptor = try Self.open(Self.resolved(path) + "-checkpoint", like: path)
        guard isServer else { return }
        guard lock(.presence, F_RDLCK) else {
            close(descriptor)
            throw StoreError.unavailable("`\(path)-checkpoint` cannot be locked")
        }
        _ = isOurs()
    }

    deinit { close(descriptor) }

    /// Whether this process may write the log back now.
    ///
    /// Not yet in the call that takes the right: whoever had it may have copied all that is in the log, and only a commit
    /// of this process's own makes sure that there is more. Must not be called while the log is being written back: a
    /// command that sees a server gives the right away.
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

    /// Lets others have it, once the file is closed.
    func release() {
        isHeld.withLock { isHeld in
            isHeld = false
            for place in [Place.right, .presence] { _ = lock(place, F_UNLCK) }
        }
    }

    /// Asks whoever has the right to empty the log.
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

    /// The newest ticket that is not answered.
    var asked: UInt64? {
        let asked = number(at: 0)
        return asked > number(at: 8) ? asked : nil
    }

    /// Tells everyone up to a ticket that the log was emptied.
    func answer(_ ticket: UInt64) { _ = write(ticket, at: 8) }

    private var isServerPresent: Bool {
        var found = Self.range(.presence, F_WRLCK)
        return fcntl(descriptor, Self.getLock, &found) != 0 || found.l_type != Int16(F_UNLCK)
    }

    // Locks of the open file and not of the process, which would lose them all as soon as it closes the file anywhere.
    private static let (getLock, setLock, waitForLock): (Int32, Int32, Int32) = (36, 37, 38)

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

    private func number(at offset: off_t) -> UInt64 {
        var number: UInt64 = 0
        let length = MemoryLayout<UInt64>.size
        return pread(descriptor, &number, length, offset) == length ? UInt64(littleEndian: number) : 0
    }

    private func write(_ number: UInt64, at offset: off_t) -> Bool {
        var bytes = number.littleEndian
        let length = MemoryLayout<UInt64>.size
        return pwrite(descriptor, &bytes, length, offset) == length
    }

    /// The path without symbolic links, by which SQLite names its own files too: processes that open the database by
    /// different links must find each other.
    static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// A file that the owner of the database can use, whoever makes it: as SQLite does with its own beside the database.
    private static func open(_ path: String, like database: String) throws -> Int32 {
        var status = stat()
        guard stat(database, &status) == 0 else { throw StoreError.unavailable("the database file cannot be opened") }
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, status.st_mode & 0o666)
        guard descriptor >= 0 else {
            throw StoreError.readOnly("`\(path)` cannot be written by this user, and says who writes the log back")
        }
        if geteuid() == 0 { _ = fchown(descriptor, status.st_uid, status.st_gid) }
        return descriptor
    }
}
