public import OfferModel

/// Proves a ledger: the chain of events, the checkpoints, the rows, the state that the events make of them, and the totals
/// that they add up to.
///
/// It reads one snapshot a page at a time, so its memory does not grow with the ledger.
public struct LedgerVerification: Sendable {
    /// What a checkpoint's signature is worth.
    public enum CheckpointVerdict: Sendable, Hashable {
        /// It is the audit key's.
        case valid
        /// It is of no key that is known.
        case unknownKey
        /// It does not belong to what it signs.
        case invalid
    }

    /// Judges the signature of a checkpoint.
    public typealias CheckpointJudge = @Sendable (AuditCheckpoint) -> CheckpointVerdict

    private let digest: any Digest
    private let key: (any KeyedDigest)?
    private let judge: CheckpointJudge?

    /// A verification.
    ///
    /// - Parameters:
    ///   - digest: SHA-256.
    ///   - key: the key of digests that the configuration names, if it names one.
    ///   - judge: the judge of signatures; without one they are not looked at.
    public init(digest: any Digest, key: (any KeyedDigest)?, judge: CheckpointJudge?) {
        self.digest = digest
        self.key = key
        self.judge = judge
    }

    /// Verifies what a transaction sees.
    ///
    /// - Parameter progress: called now and then with how much of the work is done, in thousandths.
    /// - Throws: ``BrokenRow`` for the first row that is not as it should be; ``UnknownDigestKey``; ``StoreError``.
    public func verify(
        _ transaction: any StoreTransaction, progress: @escaping (_ thousandths: Int) -> Void = { _ in }
    ) throws -> LedgerReport {
        var report = LedgerReport()
        try StoredNumberCheck(transaction).run()
        try UnseenCheck(transaction: transaction).run()
        let total = try AuditHead.read(transaction).sequence
        func tell(_ events: Int64) { progress(Int(events.saturatingMultiplied(by: 500) / max(1, total))) }
        let erased = try ChainCheck(
            transaction: transaction, digest: digest, judge: judge, progress: tell
        ).run(&report)
        try RowCheck(
            transaction: transaction, digests: try digests(transaction), told: erased, progress: { tell(total + $0) }
        ).run(&report)
        try CounterCheck(transaction: transaction).run()
        return report
    }

    /// Keyed digests by the name under which events tell of their key.
    private func digests(_ transaction: any StoreTransaction) throws -> (String) throws -> LedgerDigests {
        let salted = SaltedDigest(digest: digest, salt: try SaltedDigest.salt(transaction))
        let (digest, key) = (digest, key)
        return { name in
            if name == salted.name { return LedgerDigests(digest: digest, keyed: salted) }
            guard let key, key.name == name else { throw UnknownDigestKey(name: name) }
            return LedgerDigests(digest: digest, keyed: key)
        }
    }
}

/// Rows were recorded under a digest key that the configuration does not name, so they cannot be checked.
public struct UnknownDigestKey: Error, Sendable, Hashable {
    /// The key's name.
    public let name: String
}
