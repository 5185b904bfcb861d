import JSON
public import OfferModel

/// A line of the witness: the file on a separate disk to which each signed checkpoint is also written.
public enum WitnessRecord: Sendable, Hashable {
    case checkpoint(AuditCheckpoint)
    /// An operator went back to an older database on purpose.
    case restored(RestoredRecord)

    /// The number that the next checkpoint follows.
    public var number: Int64 {
        switch self {
        case .checkpoint(let checkpoint): checkpoint.number
        case .restored(let restored): restored.number
        }
    }

    /// Reads a line; `nil` if it is none, such as one that the loss of power has cut off.
    public init?(line: some Sequence<UInt8>) {
        guard let read = try? AuditValues(text: String(decoding: Array(line), as: UTF8.self)),
            let number: Int64 = try? read.value("number"), number >= 0,
            let signedAt: Instant = try? read.value("signedAt"),
            let fingerprint: String = try? read.value("keyFingerprint"), let signature = read.bytes("signature")
        else { return nil }
        if let replaced: Int64 = try? read.value("replaced"), let reason: String = try? read.value("reason") {
            self = .restored(
                RestoredRecord(
                    number: number, replaced: replaced, reason: reason, signedAt: signedAt,
                    keyFingerprint: fingerprint, signature: signature))
        } else if let event: Int64 = try? read.value("eventSequence"), let head = read.bytes("head") {
            self = .checkpoint(
                AuditCheckpoint(
                    number: number, eventSequence: event, head: head, signedAt: signedAt,
                    keyFingerprint: fingerprint, signature: signature))
        } else {
            return nil
        }
    }

    /// The line, with its end.
    public func line() -> [UInt8] {
        let members: AuditValues =
            switch self {
            case .checkpoint(let checkpoint):
                [
                    "number": checkpoint.number, "eventSequence": checkpoint.eventSequence, "head": checkpoint.head,
                    "signedAt": checkpoint.signedAt, "keyFingerprint": checkpoint.keyFingerprint,
                    "signature": checkpoint.signature,
                ]
            case .restored(let restored):
                [
                    "number": restored.number, "replaced": restored.replaced, "reason": restored.reason,
                    "signedAt": restored.signedAt, "keyFingerprint": restored.keyFingerprint,
                    "signature": restored.signature,
                ]
            }
        return Array(members.text(.short).utf8) + [UInt8(ascii: "\n")]
    }
}

extension AuditValues {
    fileprivate func bytes(_ member: String) -> [UInt8]? {
        (try? value(member, as: String.self)).flatMap { Hexadecimal.bytes($0) }
    }
}

/// That the database went back to an earlier checkpoint on purpose, signed by the audit's key.
public struct RestoredRecord: Sendable, Hashable {
    /// The newest checkpoint that still holds; 0 if none does.
    public var number: Int64
    /// The newest checkpoint that the witness had.
    public var replaced: Int64
    public var reason: String
    public var signedAt: Instant
    public var keyFingerprint: String
    public var signature: [UInt8]

    public init(
        number: Int64, replaced: Int64, reason: String, signedAt: Instant, keyFingerprint: String,
        signature: [UInt8] = []
    ) {
        self.number = number
        self.replaced = replaced
        self.reason = reason
        self.signedAt = signedAt
        self.keyFingerprint = keyFingerprint
        self.signature = signature
    }

    /// The signed bytes (docs/ledger.md, "Bytes").
    public var message: [UInt8] {
        var bytes = CanonicalBytes("offerd-restored-1", capacity: 256)
        bytes.append(number, replaced, signedAt, reason)
        return bytes.bytes
    }
}

/// Compares the witness with the database: a database that was put back to an older copy lacks checkpoints that the
/// witness has, and one that went on from there has others.
///
/// The witness may lack the newest checkpoints, which are written to it only once they are durable in the database.
public struct WitnessCheck {
    /// Whether a signature is the audit key's.
    public typealias Judge = (_ fingerprint: String, _ message: [UInt8], _ signature: [UInt8]) -> Bool
    /// Calls a body with each record of the witness, the earliest first.
    public typealias Records = ((WitnessRecord) throws -> Void) throws -> Void

    /// Where the witness and the database part.
    public struct Difference: Sendable, Hashable {
        /// The first checkpoint that the database does not have so.
        public var checkpoint: AuditCheckpoint
        /// Whether the database ends before it.
        public var isAhead: Bool
        /// The newest checkpoint that both have, and that no later line says was left.
        public var agreed: Int64
        public var newest: Int64
        public var last: Int64

        public var broken: BrokenRow {
            BrokenRow(
                "witness", .integer(checkpoint.number),
                isAhead
                    ? "the database ends at checkpoint \(last), and the witness has checkpoints up to \(newest): the "
                        + "database is an older copy"
                    : "the database has another checkpoint of this number")
        }
    }

    private let transaction: any StoreTransaction
    private let judge: Judge

    public init(_ transaction: any StoreTransaction, judge: @escaping Judge) {
        self.transaction = transaction
        self.judge = judge
    }

    /// - Parameter records: is read twice; memory does not grow with it.
    /// - Returns: how many checkpoints of the witness the database has; `nil` with the first difference.
    public func run(_ records: Records) throws -> (checkpoints: Int64, difference: Difference?) {
        // What a later line says was left is not compared. There are few such lines.
        var left: [(place: Int64, number: Int64)] = []
        var (place, newest): (Int64, Int64) = (0, 0)
        try records { record in
            place += 1
            newest = max(newest, record.number)
            guard case .restored(let restored) = record,
                judge(restored.keyFingerprint, restored.message, restored.signature)
            else { return }
            while let last = left.last, last.number >= restored.number { left.removeLast() }
            left.append((place, restored.number))
            newest = restored.number
        }
        let store = CheckpointStore(transaction)
        let last = try store.newest()?.number ?? 0
        var (count, agreed): (Int64, Int64) = (0, 0)
        var difference: Difference?
        place = 0
        try records { record in
            place += 1
            while let first = left.first, first.place <= place { left.removeFirst() }
            guard case .checkpoint(let checkpoint) = record, difference == nil,
                checkpoint.number <= left.first?.number ?? .max
            else { return }
            guard try store.numbered(checkpoint.number) == checkpoint else {
                difference = Difference(
                    checkpoint: checkpoint, isAhead: checkpoint.number > last, agreed: agreed, newest: newest,
                    last: last)
                return
            }
            // A line that could not be flushed may be there twice.
            if checkpoint.number > agreed { (count, agreed) = (count + 1, checkpoint.number) }
        }
        return (count, difference)
    }
}

extension CheckpointStore {
    /// A checkpoint, if the event that it signs is there, too, and has the hash that was signed.
    public func numbered(_ number: Int64) throws -> AuditCheckpoint? {
        try transaction.first(
            """
            SELECT \(Self.columns) FROM audit_checkpoint WHERE number = ?1 AND EXISTS (
                SELECT 1 FROM audit_event e WHERE e.sequence = event_sequence AND e.hash = head)
            """, number)
    }

    /// The checkpoints that follow one, at most 500.
    public func following(_ number: Int64) throws -> [AuditCheckpoint] {
        try transaction.all(
            "SELECT \(Self.columns) FROM audit_checkpoint WHERE number > ?1 ORDER BY number LIMIT 500", number)
    }
}
