import FoundationEssentials
public import OfferModel

/// The time a client lives in, so that tests need not wait.
public protocol CallTime: Sendable {
    /// The wall clock: what tokens are dated by and what Apple's `Retry-After` counts on.
    var now: Instant { get }
    /// Milliseconds of a clock that is never set: what deadlines are measured by.
    var elapsedMilliseconds: Int64 { get }
    /// Waits.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func sleep(milliseconds: Int64) async throws
}

/// The machine's clocks.
public struct SystemCallTime: CallTime {
    private let start = ContinuousClock.now

    /// The machine's clocks, measuring from now.
    public init() {}

    /// The wall clock.
    public var now: Instant { Instant(milliseconds: Int64(saturating: Date().timeIntervalSince1970 * 1_000)) }

    /// Milliseconds since this was made.
    public var elapsedMilliseconds: Int64 {
        let passed = (ContinuousClock.now - start).components
        return passed.seconds * 1_000 + passed.attoseconds / 1_000_000_000_000_000
    }

    /// Waits.
    public func sleep(milliseconds: Int64) async throws {
        try await Task.sleep(for: .milliseconds(milliseconds))
    }
}
