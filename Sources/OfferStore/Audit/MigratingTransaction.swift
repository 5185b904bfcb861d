import OfferModel

/// A transaction that brings rows of an earlier version to this one's form: they are older than the audit, which does not
/// tell of them.
public final class MigratingTransaction: StoreTransaction {
    private let base: any StoreTransaction
    /// Takes what is told, and writes none of it.
    public let recording: AuditRecording?

    /// The driver's.
    public var memory: WriteMemory? { base.memory }

    /// Wraps a driver's transaction.
    public init(_ base: any StoreTransaction) {
        self.base = base
        recording = AuditRecording(
            author: AuditAuthor(actor: "offerd migrate"), digests: LedgerDigests(digest: NoDigest(), keyed: NoDigest()))
    }

    /// Every row of a statement.
    public func rows(_ statement: Statement) throws -> [StoredRow] {
        try base.rows(statement)
    }

    /// Runs a body for every row of a statement.
    public func each(_ statement: Statement, _ body: (any StoredColumns) throws -> Void) throws {
        try base.each(statement, body)
    }

    /// Runs a statement.
    public func execute(_ statement: Statement) throws -> Int {
        try base.execute(statement)
    }
}

/// Nothing is made of these digests.
private struct NoDigest: Digest, KeyedDigest {
    let name = "none"

    func sha256(_ bytes: [UInt8]) -> [UInt8] { [] }

    func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] { [] }

    func keyed(by key: [UInt8], name: String) -> any KeyedDigest { self }

    func digest(of bytes: [UInt8]) -> [UInt8] { [] }
}
