public import OfferModel
import OfferSigning
import OfferStore

/// What the operator of a running server has to know: `/metrics` and the console show the same (docs/monitoring.md,
/// docs/console.md).
public struct ServerState: Sendable {
    /// Something that is wrong, and what to do about it.
    public struct Fault: Sendable, Hashable {
        public var detail: String
        public var hint: String?

        public init(_ detail: String, hint: String?) {
            (self.detail, self.hint) = (detail, hint)
        }
    }

    /// The latest reading of the configuration since the start.
    public struct Reload: Sendable, Hashable {
        public var at: Instant
        /// Why the files' configuration is not in force; absent if it is.
        public var failure: Fault?

        public init(at: Instant, failure: Fault?) {
            (self.at, self.failure) = (at, failure)
        }
    }

    public struct SigningKey: Sendable, Hashable {
        public var scope: Scope
        public var id: KeyId
        /// Whether it passed its latest self-test.
        public var works: Bool
    }

    /// By the server's clock.
    public var now: Instant
    /// Why requests cannot be answered; absent if they can.
    public var notReady: (any Error)?
    /// Absent, as is `overview`, where the database cannot be read.
    public var clock: ClockReading?
    public var overview: ServiceOverview?
    /// Whether the database's file was moved away.
    public var isMoved = false
    /// The keys that sign.
    public var signingKeys: [SigningKey] = []

    // What the process knows of itself.

    public var lastReload: Reload?
    /// What `offerd doctor` would warn of or fail for.
    public var warnings: [Fault] = []
    /// Whether the witness has every checkpoint; absent until that is known, and where another server writes to it.
    public var witnessWorks: Bool?
    /// Whether the database is a file, which `offerd backup` copies.
    public var hasFile = true
    /// What is left of the disk of the file, in bytes.
    public var freeSpace: Int64?
    /// When nothing will be left of it, at the rate of the last hours.
    public var diskFullAt: Instant?
    /// Whether this process does what one of all on the database does.
    public var isElected = true
    public var certificateExpiresAt: Instant?
    /// The end of the authorities of client certificates.
    public var authoritiesExpireAt: Instant?
    public var retention = RetentionTerms.standard

    public init(at now: Instant) {
        self.now = now
    }

    /// In the largest binary unit that it fills, such as `74 GiB`.
    package static func size(_ bytes: Int64) -> String {
        let unit = [("GiB", Int64(1) << 30), ("MiB", 1 << 20)].first { bytes >= $0.1 } ?? ("KiB", 1 << 10)
        return "\(bytes / unit.1) \(unit.0)"
    }
}

/// Looks at the state of a running server.
public struct ServerStates: Sendable {
    let registry: AppRegistry
    let readiness: Readiness
    let overviews: ServiceOverviews
    let clock: RequestClock

    /// - Parameter add: adds what only the process knows.
    public func read(adding add: (inout ServerState) -> Void = { _ in }) async -> ServerState {
        var state = ServerState(at: clock.wallClock())
        do {
            try await readiness.check()
        } catch {
            state.notReady = error
        }
        state.clock = try? await readiness.readClock()
        do {
            state.overview = try await overviews.read()
        } catch StoreError.moved {
            state.isMoved = true
        } catch {
            // `notReady` says so.
        }
        state.signingKeys = registry.all.flatMap { app in
            app.signingKeys.sorted { $0.key.rawValue < $1.key.rawValue }.map { environment, key in
                let scope = Scope(bundleId: app.bundleId, environment: environment)
                // As of the latest self-test: a token would have to sign for every look.
                return ServerState.SigningKey(scope: scope, id: key.keyId, works: registry.worked(scope))
            }
        }
        add(&state)
        return state
    }
}

/// The server's clock beside what was recorded and what Apple signed.
public struct ClockReading: Sendable, Hashable {
    public let now: Instant
    /// The last moment at which something was recorded.
    public let recordedAt: Instant?
    /// The newest date of data that was verified to Apple's own root.
    public let signedAt: Instant?

    init(now: Instant, marks: ClockMarks) {
        (self.now, recordedAt, signedAt) = (now, marks.lastInstant, marks.newestSignedDate)
    }

    /// How far the clock is behind either, in milliseconds; 0 if it is not behind.
    public var behind: Int64 {
        max(0, [recordedAt, signedAt].compactMap { $0?.milliseconds(since: now) }.max() ?? 0)
    }
}

/// How fast the room on a disk shrinks, by a look every ten minutes of the last six hours: the span of the alert
/// `OfferdDiskFilling`.
public struct DiskTrend: Sendable {
    private static let interval = 10 * Instant.Duration.minute
    private static let span = 6 * Instant.Duration.hour
    /// With fewer, a single large file would pass for a rate.
    private static let least = 30 * Instant.Duration.minute
    /// What is further away than this is no forecast.
    private static let horizon = 365 * Instant.Duration.day

    private var looks: [(at: Instant, free: Int64)] = []

    public init() {}

    public mutating func note(_ free: Int64, at now: Instant) {
        // The clock was set back: a rate over it would be wrong.
        if let last = looks.last, last.at > now { looks = [] }
        if let last = looks.last, now.milliseconds(since: last.at) < Self.interval { return }
        looks.removeAll { now.milliseconds(since: $0.at) > Self.span }
        looks.append((now, free))
    }

    /// When nothing will be left; `nil` if the room does not shrink, or within a year will not be used up.
    public func end(of free: Int64, at now: Instant) -> Instant? {
        guard let first = looks.first, free < first.free else { return nil }
        let passed = now.milliseconds(since: first.at)
        guard passed >= Self.least else { return nil }
        // In KiB, so that the product of a large disk and six hours is a number.
        let used = max(1, (first.free - free) / 1_024)
        let left = (free / 1_024).saturatingMultiplied(by: passed) / used
        return left > Self.horizon ? nil : now.adding(milliseconds: left)
    }
}
