import OfferStore

/// Keeps the events that become due by themselves, such as the end of a trial (docs/events.md).
public struct DueEvents: Sendable {
    /// How many one transaction takes, so that no request waits long for it.
    static let limit = 200

    let ledger: Ledger
    let clock: RequestClock

    /// Keeps the next events that are due.
    ///
    /// - Returns: whether more may be due.
    /// - Throws: `clockBehind`, ``StoreError``, `CancellationError`; events that were kept stay kept.
    public func send() async throws -> Bool {
        let isDue = try await ledger.readInline { transaction in
            let now = try clock.instant(transaction)
            return try DueEventStore(transaction).next().map { $0 <= now } ?? false
        }
        guard isDue else { return false }
        return try await ledger.write(by: .service) { transaction in
            let now = try clock.instant(transaction)
            return try DueEventStore(transaction).send(at: now, limit: Self.limit) == Self.limit
        }
    }
}
