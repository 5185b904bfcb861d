import FoundationEssentials
import JSON
import OfferModel

/// One event of the audit as it is stored.
struct AuditEvent: Hashable {
    var sequence: Int64
    var kind: AuditKind
    var actor: String
    var at: Instant
    var requestId: LowercaseUUID?
    var scope: ScopeNumber?
    /// The slot whose state it changes.
    var issuedOffer: Int64?
    /// Which key its keyed digests were taken with.
    var digestKey: String
    /// JSON, exactly as it is stored.
    var before: String?
    var after: String?
    /// The rows it covers, as JSON: `[["issued_offer",12,"<64 hexadecimal digits>"],…]`.
    var rows: String
    var previousHash: [UInt8]

    /// What the first event follows.
    static let origin = [UInt8](repeating: 0, count: 32)

    /// The SHA-256 that the next event holds.
    func hash(_ digest: any Digest) -> [UInt8] {
        Self.hash(values, digest)
    }

    /// The same, of the columns but `hash`.
    static func hash(_ values: [StoredValue], _ digest: any Digest) -> [UInt8] {
        var bytes = CanonicalBytes("offerd-event-1", capacity: 2_048)
        for value in values { bytes.append(value) }
        return digest.sha256(bytes.bytes)
    }

    /// The columns but `hash`, in their order.
    var values: [StoredValue] {
        [
            .integer(sequence), kind.storedValue, actor.storedValue, at.storedValue, requestId.storedValue,
            scope.storedValue, issuedOffer.storedValue, digestKey.storedValue, before.storedValue, after.storedValue,
            rows.storedValue, previousHash.storedValue,
        ]
    }

    static let columns = """
        sequence, kind, actor, at, request_id, scope_id, issued_offer, digest_key, before_change, after_change, \
        ledger_rows, previous_hash, hash
        """

    static let insertSQL = "INSERT INTO audit_event (\(columns)) VALUES (\(Statement.placeholders(13)))"
}

extension AuditEvent {
    /// An event and the hash that is stored with it, whatever that is.
    static func read(_ row: StoredRow) throws -> (event: AuditEvent, storedHash: [UInt8]) {
        var reader = RowReader(row)
        let event = AuditEvent(
            sequence: try reader.next(), kind: try reader.next(), actor: try reader.next(), at: try reader.next(),
            requestId: try reader.next(), scope: try reader.next(), issuedOffer: try reader.next(),
            digestKey: try reader.next(), before: try reader.next(), after: try reader.next(),
            rows: try reader.next(), previousHash: try reader.next())
        return (event, try reader.next())
    }

    /// The rows as they are stored.
    static func text(_ rows: [LedgerRow.Reference]) -> String {
        var json = JSONWriter(capacity: 96 * rows.count + 2, escapes: .hexadecimal)
        json.array(rows) { json, row in
            json.array([.text(row.table), row.key, .text(Hexadecimal.lowercase(row.digest))]) { json, value in
                switch value {
                case .integer(let integer): json.integer(integer)
                case .text(let text): json.text(text)
                case .null, .blob: json.null()
                }
            }
        }
        return json.text
    }

    /// The rows it covers.
    ///
    /// - Throws: ``StoreError/corrupt(_:)``.
    func references() throws -> [LedgerRow.Reference] {
        do {
            return try Self.references(rows)
        } catch is StoreError {
            throw StoreError.corrupt("the rows of event \(sequence) cannot be read")
        }
    }

    /// The rows of ``text(_:)``.
    ///
    /// - Throws: ``StoreError/corrupt(_:)``.
    static func references(_ rows: String) throws -> [LedgerRow.Reference] {
        if rows == "[]" { return [] }
        guard let items = try? JSONDecoder().decode([Item].self, from: Data(rows.utf8)) else {
            throw StoreError.corrupt("the rows of an event cannot be read")
        }
        return items.map(\.reference)
    }

    private struct Item: Decodable {
        let reference: LedgerRow.Reference

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            let table = try container.decode(String.self)
            let key: StoredValue =
                if let number = try? container.decode(Int64.self) {
                    .integer(number)
                } else {
                    .text(try container.decode(String.self))
                }
            guard let digest = Hexadecimal.bytes(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "no hexadecimal digits")
            }
            reference = LedgerRow.Reference(table: table, key: key, digest: digest)
        }
    }
}
