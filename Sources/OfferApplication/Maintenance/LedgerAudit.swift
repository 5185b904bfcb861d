import OfferModel
public import OfferSigning
public import OfferStore

public struct CheckpointSigner: Sendable {
    /// The SHA-256 of the public key, in hexadecimal.
    public let fingerprint: String
    /// The audit's own key, never one of Apple's.
    public let key: any SigningKey

    public init(fingerprint: String, key: any SigningKey) {
        self.fingerprint = fingerprint
        self.key = key
    }
}

/// The service's own entries in the audit: checkpoints, and the keys it runs with.
public struct LedgerAudit: Sendable {
    /// A checkpoint is due after this many new events.
    public static let eventsPerCheckpoint: Int64 = 1_000
    /// A checkpoint is due this long after the one before, in milliseconds.
    public static let checkpointInterval = 5 * Instant.Duration.minute

    let ledger: Ledger
    let signer: CheckpointSigner?
    let clock: RequestClock

    /// Records the keys the service is started with, if they differ from those of the last start.
    ///
    /// - Parameter keys: each key by a name, with what may be shown of it.
    public func note(keys: [String: String]) async throws {
        guard try await ledger.read({ try !SigningKeyLog($0).knows(keys) }) else { return }
        try await ledger.write(by: .service) { transaction in
            let now = try clock.tolerantInstant(transaction)
            try SigningKeyLog(transaction).note(keys, at: now)
            try StoreClock(transaction).advance(to: now)
        }
    }

    /// Signs the audit as far as it goes, if that is due.
    ///
    /// - Parameter now: also if it is not due, but for events that are signed already.
    @discardableResult
    public func checkpoint(now isWanted: Bool = false) async throws -> AuditCheckpoint? {
        guard let signer else { return nil }
        guard try await ledger.read({ try Self.isDue($0, at: try clock.tolerantInstant($0), isWanted: isWanted) })
        else { return nil }
        return try await ledger.write(by: .service) { transaction in
            let now = try clock.tolerantInstant(transaction)
            let checkpoint = try CheckpointStore(transaction).add(at: now, fingerprint: signer.fingerprint) {
                try signer.key.derSignature(of: $0)
            }
            try StoreClock(transaction).advance(to: now)
            return checkpoint
        }
    }

    public func newestEvent() async throws -> Int64 {
        try await ledger.read { try CheckpointStore($0).newestEvent() }
    }

    public func checkpoints(after number: Int64) async throws -> [AuditCheckpoint] {
        try await ledger.read { try CheckpointStore($0).following(number) }
    }

    private static func isDue(_ transaction: any StoreTransaction, at now: Instant, isWanted: Bool) throws -> Bool {
        let store = CheckpointStore(transaction)
        let unsigned = try store.unsignedEvents()
        guard unsigned > 0 else { return false }
        guard !isWanted, unsigned < eventsPerCheckpoint, let newest = try store.newest() else { return true }
        return now.milliseconds(since: newest.signedAt) >= checkpointInterval
    }
}
