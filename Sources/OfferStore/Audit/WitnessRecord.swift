import FoundationEssentials
public import OfferModel

/// A line of the witness: the file, on a disk of its own, that every signed checkpoint is also written to.
public enum WitnessRecord: Sendable, Hashable {
    /// A checkpoint, as its row has it.
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
        guard let read = try? JSONDecoder().decode(Line.self, from: Data(line)),
            let signature = Hexadecimal.bytes(read.signature), read.number >= 0
        else { return nil }
        let at = Instant(milliseconds: read.signedAt)
        if let replaced = read.replaced, let reason = read.reason {
            self = .restored(
                RestoredRecord(
                    number: read.number, replaced: replaced, reason: reason, signedAt: at,
                    keyFingerprint: read.keyFingerprint, signature: signature))
        } else if let event = read.eventSequence, let head = read.head.flatMap({ Hexadecimal.bytes($0) }) {
            self = .checkpoint(
                AuditCheckpoint(
                    number: read.number, eventSequence: event, head: head, signedAt: at,
                    keyFingerprint: read.keyFingerprint, signature: signature))
        } else {
            return nil
        }
    }

    /// The line, with its end.
    ///
    /// - Throws: when it cannot be encoded.
    public func line() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(document)) + [UInt8(ascii: "\n")]
    }

    private var document: Line {
        switch self {
        case .checkpoint(let checkpoint):
            Line(
                number: checkpoint.number, eventSequence: checkpoint.eventSequence,
                head: Hexadecimal.lowercase(checkpoint.head), signedAt: checkpoint.signedAt.milliseconds,
                keyFingerprint: checkpoint.keyFingerprint, signature: Hexadecimal.lowercase(checkpoint.signature))
        case .restored(let restored):
            Line(
                number: restored.number, replaced: restored.replaced, reason: restored.reason,
                signedAt: restored.signedAt.milliseconds, keyFingerprint: restored.keyFingerprint,
                signature: Hexadecimal.lowercase(restored.signature))
        }
    }

    private struct Line: Codable {
        var number: Int64
        var eventSequence: Int64?
        var head: String?
        var replaced: Int64?
        var reason: String?
        var signedAt: Int64
        var keyFingerprint: String
        var signature: String
    }
}

/// That the database went back to an earlier checkpoint on purpose, signed by the audit's key.
public struct RestoredRecord: Sendable, Hashable {
    /// The newest checkpoint that still holds; 0 if none does.
    public var number: Int64
    /// The newest checkpoint that the witness had.
    public var replaced: Int64
    /// Why, as the operator typed it.
    public var reason: String
    /// When it was signed.
    public var signedAt: Instant
    /// As of a checkpoint.
    public var keyFingerprint: String
    /// As of a checkpoint.
    public var signature: [UInt8]

    /// A record by its parts.
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

    /// What is signed (docs/ledger.md, "Bytes").
    public var message: [UInt8] {
        var bytes = CanonicalBytes("offerd-restored-1", capacity: 256)
        bytes.append(number)
        bytes.append(replaced)
        bytes.append(signedAt)
        bytes.append(reason)
        return bytes.bytes
    }
}
