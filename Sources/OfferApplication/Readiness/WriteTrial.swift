import OfferStore

/// Finds out whether a commit is possible, by making one.
///
/// Everybody may ask, and each commit costs a flush of the disk: those who ask together share one, and a good result is
/// believed for a second, unless the database has failed meanwhile. A bad one is never believed twice.
actor WriteTrial {
    private static let life = Duration.seconds(1)

    private let database: WatchedDatabase
    private let clock: RequestClock
    private var success: (at: ContinuousClock.Instant, failures: Int)?
    private var running: Task<Void, any Error>?

    init(database: WatchedDatabase, clock: RequestClock) {
        self.database = database
        self.clock = clock
    }

    /// - Throws: what the store throws.
    func check() async throws {
        if let running { return try await running.value }
        if let success, success.failures == database.failures, .now - success.at < Self.life { return }
        let (database, clock) = (database, clock)
        let task = Task { try await database.write { try StoreClock($0).tryWriting(at: clock.wallClock()) } }
        running = task
        defer { running = nil }
        try await task.value
        success = (.now, database.failures)
    }
}
