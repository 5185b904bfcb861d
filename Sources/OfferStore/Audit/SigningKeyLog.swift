public import OfferModel

/// The signing keys that the service was started with, as the audit records them.
public struct SigningKeyLog {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    public func knows(_ keys: [String: String]) throws -> Bool {
        try newest() == Self.values(keys)
    }

    /// Whether every start told of this digest key, so that no row was recorded under another.
    func hadOnly(digestKey name: String) throws -> Bool {
        let starts: [String] = try transaction.all(
            "SELECT after_change FROM audit_event WHERE kind = 'keys' ORDER BY sequence")
        return try starts.allSatisfy {
            try AuditValues(text: $0)[Self.digestMember] ?? .text(SaltedDigest.name) == .text(name)
        }
    }

    /// The member under which a start records its digest key; absent without `audit:`.
    public static let digestMember = "digest"

    private func newest() throws -> AuditValues? {
        let after: String? = try transaction.first(
            "SELECT after_change FROM audit_event WHERE kind = 'keys' ORDER BY sequence DESC LIMIT 1")
        return try after.map(AuditValues.init(text:))
    }

    /// Records the keys, if they are not those recorded last.
    ///
    /// - Parameter keys: each key by a name, with what may be shown of it.
    public func note(_ keys: [String: String], at now: Instant) throws {
        let before = try newest()
        let after = Self.values(keys)
        guard before != after else { return }
        try transaction.audit().record(.keys, at: now, in: nil, before: before, after: after)
    }

    private static func values(_ keys: [String: String]) -> AuditValues {
        AuditValues(keys.mapValues { .text($0) })
    }
}
