import OfferModel
import OfferStore

/// Whether requests can be answered now, the recording of what is signed included.
public struct Readiness: Sendable {
    /// Less room on the disk than this, in bytes, is as good as none: a single request may need some of it.
    public static let leastFreeSpace: Int64 = 256 * 1_024

    private let database: WatchedDatabase
    private let clock: RequestClock
    private let trial: WriteTrial
    private let freeSpace: @Sendable () -> Int64?

    init(database: WatchedDatabase, clock: RequestClock, freeSpace: @escaping @Sendable () -> Int64?) {
        self.database = database
        self.clock = clock
        self.freeSpace = freeSpace
        trial = WriteTrial(database: database, clock: clock)
    }

    /// Reads the clock, looks for room on the disk, and commits something durably.
    ///
    /// - Throws: ``RequestError``, in words that name no file of the machine: everybody may ask.
    public func check() async throws {
        do {
            if let damage = database.damage { throw damage }
            let clock = clock
            _ = try await database.readInline { try clock.instant($0) }
            if let free = freeSpace(), free < Self.leastFreeSpace {
                throw RequestError.notReady(
                    detail: "the disk that holds the database is nearly full: \(free / 1_024) KiB are left",
                    hint: "free space on it; nothing needs a restart")
            }
            try await trial.check()
        } catch let error as StoreError {
            throw RequestError.notReady(detail: error.publicDetail, hint: "`offerd doctor` says more")
        }
    }
}
