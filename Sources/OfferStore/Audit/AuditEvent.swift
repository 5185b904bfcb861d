import JSON
import OfferModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The kind of an event of the audit. The list is closed; a word is never used for something else.
public enum AuditKind: String, Sendable, Hashable, CaseIterable, Codable, Storable {
    case issue
    case signing
    /// The answer to an issue request was no, or could not be decided.
    case refusal
    /// Apple's use of an offer became known.
    case redemption
    /// The customer bought at full price right after a signature.
    case fullPrice
    /// An issued offer stopped being open, because it has passed or was redeemed.
    case settlement
    case void
    /// Support has granted a customer one use of an offer.
    case grant
    case grantUsed
    case grantRevoked
    case pause
    case resume
    case catalog
    /// The signing keys of the configuration are not those of the last start.
    case keys
    case merge
    case apiKeyCreated
    /// Another key replaces it; it is accepted until its `endsAt`.
    case apiKeyRotated
    case apiKeyRevoked
    /// Rows whose time was over were taken away.
    case retention
    case erasure
    /// The store's time was set back after a clock that once ran ahead, or an issued offer counts again because of
    /// that.
    case clockReset
    case unlink
    case imported = "import"
    case checkpoint
}

struct AuditEvent: Hashable {
    var sequence: Int64
    var kind: AuditKind
    var actor: String
    var at: Instant
    var requestId: LowercaseUUID?
    var scope: ScopeNumber?
    var issuedOffer: Int64?
    /// The key of its keyed digests.
    var digestKey: String
    /// JSON, exactly as it is stored.
    var before: String?
    var after: String?
    /// The rows it covers, as JSON: `[["issued_offer",12,"<64 hexadecimal digits>"],…]`.
    var rows: String
    var previousHash: [UInt8]
    /// As it is stored, whatever that is.
    var hash: [UInt8] = []

    static let origin = [UInt8](repeating: 0, count: 32)

    /// The hash of all but itself.
    func derivedHash(_ digest: any Digest) throws -> [UInt8] {
        var bytes = CanonicalBytes("offerd-event-1", capacity: 2_048)
        for value in try stored().dropLast() { bytes.append(value) }
        return digest.sha256(bytes.bytes)
    }
}

extension AuditEvent: TableRow {
    static let blank = AuditEvent(
        sequence: 0, kind: .issue, actor: "", at: .distantPast, digestKey: "", rows: "", previousHash: [])

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("sequence", &sequence, .key("CHECK (sequence > 0)"))
        try columns("kind", &kind, "CHECK (length(kind) > 0)")
        try columns("actor", &actor, "CHECK (length(actor) > 0)")
        try columns("at", &at)
        try columns("request_id", &requestId)
        try columns("scope_id", &scope)
        try columns("issued_offer", &issuedOffer)
        try columns("digest_key", &digestKey, "CHECK (length(digest_key) > 0)")
        try columns("before_change", &before)
        try columns("after_change", &after)
        try columns("ledger_rows", &rows)
        try columns("previous_hash", &previousHash, "CHECK (length(previous_hash) = 32)")
        try columns("hash", &hash, "CHECK (length(hash) = 32)")
    }

    static func text(_ rows: [LedgerRow.Reference]) -> String {
        var json = JSONWriter(capacity: 96 * rows.count + 2, escapes: .hexadecimal)
        json.array(rows) { json, row in
            json.array([.text(row.table), row.key, .blob(row.digest)]) { $0.value($1) }
        }
        return json.text
    }

    func references() throws -> [LedgerRow.Reference] {
        if rows == "[]" { return [] }
        let items = try? JSONDecoder().decode([[Scalar]].self, from: Data(rows.utf8))
        let references = items?.compactMap { item -> LedgerRow.Reference? in
            guard item.count == 3, case .text(let table) = item[0].value, item[1].value != .null,
                case .text(let digits) = item[2].value, let digest = Hexadecimal.bytes(digits)
            else { return nil }
            return LedgerRow.Reference(table: table, key: item[1].value, digest: digest)
        }
        guard let references, references.count == items?.count else {
            throw StoreError.corrupt("the rows of event \(sequence) cannot be read")
        }
        return references
    }
}

/// The values of an event before or after a change: members with integers, texts or null.
public struct AuditValues: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    struct Member: Sendable, Hashable {
        let name: String
        let value: StoredValue
    }

    /// In the order of their names, each once.
    private(set) var members: [Member]

    init(ordered members: [Member]) {
        self.members = members
    }

    init(_ members: [String: StoredValue]) {
        self.members = members.map(Member.init).sorted { $0.name < $1.name }
    }

    public init(dictionaryLiteral elements: (String, any Storable)...) {
        self.init(Dictionary(elements.map { ($0, $1.storedValue) }) { first, _ in first })
    }

    init(text: String) throws {
        guard let read = try? JSONDecoder().decode([String: Scalar].self, from: Data(text.utf8)) else {
            throw StoreError.corrupt("the values of an event are not a JSON object of integers, texts and null")
        }
        self.init(read.mapValues(\.value))
    }

    /// These but for members that are null, which means the same.
    var withoutNulls: AuditValues { AuditValues(ordered: members.filter { $0.value != .null }) }

    subscript(member: String) -> StoredValue? { members.first { $0.name == member }?.value }

    func value<Value: Storable>(_ member: String, as type: Value.Type = Value.self) throws -> Value {
        guard let stored = self[member], let value = try Value(StoredRow([stored]), at: 0) else {
            throw StoreError.corrupt("`\(member)` of an event does not hold a valid \(Value.self)")
        }
        return value
    }

    /// Compact JSON with sorted keys.
    var text: String { text(.hexadecimal) }

    func text(_ escapes: JSONWriter.Escapes) -> String {
        var json = JSONWriter(capacity: 512, escapes: escapes)
        json.object { json in
            for member in members {
                json.name(member.name)
                json.value(member.value)
            }
        }
        return json.text
    }

    /// These members where they differ from others, and the others there.
    func differences(from earlier: AuditValues) -> (before: AuditValues, after: AuditValues) {
        let changed = members.filter { earlier[$0.name] != $0.value }
        let names = Set(changed.map(\.name))
        return (
            AuditValues(ordered: earlier.members.filter { names.contains($0.name) }), AuditValues(ordered: changed)
        )
    }

    func merging(_ later: AuditValues) -> AuditValues {
        if later.members.isEmpty { return self }
        let kept = members.filter { later[$0.name] == nil }
        return AuditValues(ordered: (kept + later.members).sorted { $0.name < $1.name })
    }
}

extension JSONWriter {
    /// Bytes are written in hexadecimal.
    mutating func value(_ value: StoredValue) {
        switch value {
        case .null: null()
        case .integer(let integer): self.integer(integer)
        case .text(let text): self.text(text)
        case .blob(let bytes): text(Hexadecimal.lowercase(bytes))
        }
    }
}

private struct Scalar: Decodable {
    let value: StoredValue

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = .null
        } else if let integer = try? container.decode(Int64.self) {
            value = .integer(integer)
        } else {
            value = .text(try container.decode(String.self))
        }
    }
}
