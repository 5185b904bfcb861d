import CommandLineSupport
import Foundation
import OfferModel
import OfferStore
import Synchronization

/// The file on a separate disk to which each signed checkpoint is also written, one a line.
///
/// A line is written after the commit of its checkpoint, so a crash leaves the witness behind and never ahead: what it
/// lacks is written at the next start. A line counts only once it has been flushed: see ``append(_:)``.
final class WitnessFile: Sendable {
    let path: String
    private let flush: @Sendable (Int32) -> Int32
    /// The last checkpoint that is on the disk, where lines follow it that may not be; `nil` where none do.
    private let lastFlushed = Mutex<Int64?>(nil)

    /// - Parameter flush: ``Disk/flush(_:)``, or what fails in its place.
    init(path: String, flush: @escaping @Sendable (Int32) -> Int32 = Disk.flush) {
        self.path = path
        self.flush = flush
    }

    /// Longer lines are ignored.
    private static let longestLine = 65_536

    // MARK: Reading

    /// Calls a body with each record; text that is not a line, such as one that was cut off, is skipped.
    ///
    /// - Parameters:
    ///   - end: what was added after it is left alone, as ``size()`` gave it.
    ///   - tail: only the last 64 KiB.
    func records(through end: UInt64, tail: Bool = false, _ body: (WitnessRecord) throws -> Void) throws {
        guard let handle = FileHandle(forReadingAtPath: path) else { throw unusable("cannot be read") }
        defer { try? handle.close() }
        let longest = UInt64(clamping: Self.longestLine)
        var place = tail && end > longest ? end - longest : 0
        try reading { try handle.seek(toOffset: place) }
        var rest = Data()
        while place < end, let chunk = try reading({ try handle.read(upToCount: Int(min(end - place, longest))) }),
            !chunk.isEmpty
        {
            place += UInt64(clamping: chunk.count)
            rest += chunk
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                if let record = WitnessRecord(line: rest[..<end]) { try body(record) }
                rest = rest[rest.index(after: end)...]
            }
            rest = rest.count > Self.longestLine ? Data() : Data(rest)
        }
    }

    /// How long it is now. To compare it with a snapshot of the database, take this first: what is written later may
    /// record checkpoints that the snapshot does not have.
    func size() throws -> UInt64 {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, let size = UInt64(exactly: status.st_size)
        else { throw unusable("is not a file that can be read") }
        return size
    }

    private func reading<Value>(_ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch {
            throw unusable("cannot be read")
        }
    }

    // MARK: Checking

    /// Makes sure that the database is not older than the witness, and that the witness has all that the database has.
    func require(
        _ database: any DatabaseDriver, judge: @escaping @Sendable (String, [UInt8], [UInt8]) -> Bool,
        newer: (Int64) async throws -> [AuditCheckpoint]
    ) async throws {
        if !FileManager.default.fileExists(atPath: path) {
            guard try await newer(0).isEmpty else { throw missing }
            try create()
        }
        let end = try size()
        let difference = try await database.read { transaction in
            try WitnessCheck(transaction, judge: judge).run { try self.records(through: end, tail: true, $0) }
                .difference
        }
        if let difference { throw LedgerOutcome.failure(difference.broken).with(.usage) }
        try await catchUp(newer)
    }

    /// The message about a witness that is missing although there are checkpoints.
    var missing: CommandFailure {
        CommandFailure(
            .usage, "the witness `\(path)` is missing, and the audit has checkpoints",
            hints: ["put the file back; if there never was one, make it: `(umask 077; touch \(path))`"])
    }

    // MARK: Writing

    /// Writes every checkpoint that the witness does not have yet, so that they survive the loss of power.
    ///
    /// - Parameter newer: gives checkpoints that follow one, in their order.
    func catchUp(_ newer: (Int64) async throws -> [AuditCheckpoint]) async throws {
        while true {
            // Only a hint: what is written is decided under the lock.
            let last = try last()
            let checkpoints = try await newer(last)
            guard !checkpoints.isEmpty else { return }
            try append { last in checkpoints.filter { $0.number > last }.map { .checkpoint($0) } }
        }
    }

    /// Adds lines at once, while no other process adds any.
    ///
    /// If they cannot be flushed they are taken back, and the next call writes them again. To flush once more would not
    /// do: after a failure Linux takes what it could not write for written, and the next flush succeeds. Lines that
    /// cannot be taken back, as in a file that may only grow, are written a second time.
    func append(_ records: (_ last: Int64) throws -> [WitnessRecord]) throws {
        let descriptor = open(path, O_RDWR | O_APPEND | O_CLOEXEC)
        guard descriptor >= 0 else { throw unusable("cannot be written") }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX) == 0 else { throw unusable("cannot be locked") }
        let last = try last()
        var bytes = try records(last).flatMap { $0.line() }
        guard !bytes.isEmpty else { return }
        // A line that was cut off stays by itself.
        var newest: UInt8 = 0
        let end = lseek(descriptor, 0, SEEK_END)
        if end > 0, pread(descriptor, &newest, 1, end - 1) != 1 || newest != UInt8(ascii: "\n") {
            bytes.insert(UInt8(ascii: "\n"), at: 0)
        }
        guard write(descriptor, bytes, bytes.count) == bytes.count, flush(descriptor) == 0 else {
            if ftruncate(descriptor, end) != 0 { lastFlushed.withLock { $0 = last } }
            throw unusable("cannot be written")
        }
        lastFlushed.withLock { $0 = nil }
    }

    /// The number that the next checkpoint follows.
    private func last() throws -> Int64 {
        if let last = lastFlushed.withLock({ $0 }) { return last }
        var last: Int64 = 0
        try records(through: try size(), tail: true) { last = $0.number }
        return last
    }

    private func create() throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unusable("cannot be made") }
        close(descriptor)
        do {
            try Disk.flushName(of: path)
        } catch {
            // The next start would not flush the name of a file that is there.
            unlink(path)
            throw error
        }
    }

    private func unusable(_ what: String) -> CommandFailure {
        CommandFailure(
            .usage, "the witness `\(path)` \(what)", hints: ["check its disk, its directory and its permissions"])
    }
}
