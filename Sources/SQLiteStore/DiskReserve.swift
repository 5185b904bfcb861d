import OfferStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Room on the disk for pauses: a file beside the database that holds nothing, and that a pause makes shorter if the disk
/// is full (``KeptRoom``, docs/decisions/0074-room-for-a-pause.md).
///
/// It belongs to no database: whichever is at the path uses it, and a missing one is made again. Servers that share a
/// database share it.
public final class DiskReserve: Sendable {
    /// Of the file's name, after that of the database.
    static let ending = "-reserve"
    /// What all pauses together may use, in bytes.
    public static let size: Int64 = 1_024 * 1_024
    /// What one gets at a time: a pause writes some ten pages of 4 KiB, and perhaps 32 KiB of the log's index.
    static let step = size / 4

    private let path: String
    private let database: String

    init(beside database: String) {
        self.database = database
        path = CheckpointRight.resolved(database) + Self.ending
    }

    /// How many bytes are kept beside a database; `nil` if no server has kept any yet.
    public static func kept(beside database: String) -> Int64? { DiskReserve(beside: database).kept }

    private var kept: Int64? {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
    }

    /// Gives a part of the room back to the disk.
    ///
    /// - Returns: false if nothing is left.
    func giveUp() -> Bool {
        guard let kept, kept > 0 else { return false }
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // Flushed, because a file system with a journal lends freed blocks only once it has written that they are free.
        guard ftruncate(descriptor, off_t(clamping: max(0, kept - Self.step))) == 0 else { return false }
        _ = DatabaseFile.flush(descriptor)
        return true
    }

    /// Keeps the room again, or for the first time, if the disk has twice as much.
    func fill() {
        let missing = Self.size - (kept ?? 0)
        guard missing > 0, let free = Self.freeSpace(beside: path), free >= missing + Self.size else { return }
        var status = stat()
        guard stat(database, &status) == 0 else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, status.st_mode & 0o666)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // The owner of the database has to be able to use it, whichever user makes it.
        if geteuid() == 0 { _ = fchown(descriptor, status.st_uid, status.st_gid) }
        var place = Self.size - missing
        var noise = Noise()
        while place < Self.size {
            let block = noise.block(atMost: Self.size - place)
            let written = pwrite(descriptor, block, block.count, off_t(clamping: place))
            // What is there is kept, and the next call tries to add the rest.
            guard written > 0 else { return }
            place += Int64(written)
        }
    }

    /// How many bytes this user may still write beside a file; `nil` where the system does not say.
    public static func freeSpace(beside path: String) -> Int64? {
        var disk = statvfs()
        guard statvfs(DatabaseFile.folder(of: path), &disk) == 0 else { return nil }
        let (bytes, isMore) = UInt64(clamping: disk.f_bavail)
            .multipliedReportingOverflow(by: UInt64(clamping: disk.f_frsize))
        return isMore ? .max : Int64(clamping: bytes)
    }
}

/// Bytes that no file system makes smaller, by SplitMix64.
private struct Noise {
    private var state = UInt64.random(in: .min ... .max)

    mutating func block(atMost bytes: Int64) -> [UInt8] {
        let count = Int(clamping: min(bytes, 65_536))
        var block = [UInt8]()
        block.reserveCapacity(count + 7)
        while block.count < count {
            state &+= 0x9E37_79B9_7F4A_7C15
            var number = state
            number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
            number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
            withUnsafeBytes(of: number ^ (number >> 31)) { block.append(contentsOf: $0) }
        }
        return Array(block.prefix(count))
    }
}
