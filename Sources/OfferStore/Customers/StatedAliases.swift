public import OfferModel

public struct AliasStatement: Sendable, Hashable {
    struct New: Sendable, Hashable {
        let alias: CustomerAlias
        let customer: CustomerNumber
    }

    var new: [New] = []
    /// Aliases that none of them has and that Apple's data names for another customer.
    public var foreign: [CustomerAlias] = []

    public var isKnown: Bool { new.isEmpty }
}

extension CustomerStore {
    /// The outcome that stating these aliases would have now; nothing is written.
    ///
    /// The backend's word attaches no alias that Apple's data names for another customer. Of several
    /// customers who are one subject, those who have it keep it, and the others do not get it.
    public func statement(
        of aliases: [CustomerAlias], for customers: [CustomerNumber], in scope: ScopeNumber
    ) throws -> AliasStatement {
        var statement = AliasStatement()
        let asked = Set(customers).sorted()
        guard !asked.isEmpty else { return statement }
        for alias in aliases {
            let holders: [CustomerNumber] = try transaction.all(
                """
                SELECT customer_id FROM customer_alias WHERE scope_id = ?1 AND kind = ?2 AND value = ?3
                AND customer_id IN (?*)
                """, scope, alias.kind, alias.value, list: asked.map(\.storedValue))
            guard holders.count < asked.count else { continue }
            if try self.holders(of: alias, where: Self.isProven("a"), limit: 1, in: scope).isEmpty {
                statement.new += asked.filter { !holders.contains($0) }
                    .map { AliasStatement.New(alias: alias, customer: $0) }
            } else if holders.isEmpty {
                statement.foreign.append(alias)
            }
        }
        return statement
    }

    /// Gives these customers these aliases, on the word of the request that the transaction is made for, or on the word
    /// that comes with a history, such as that of the operator of an import.
    ///
    /// - Returns: the aliases that none of them may have, see ``AliasStatement/foreign``.
    @discardableResult
    public func state(
        _ aliases: [CustomerAlias], of customers: [CustomerNumber], provenance: Provenance? = nil, at now: Instant,
        in scope: ScopeNumber
    ) throws -> [CustomerAlias] {
        let source =
            provenance.map { IdentifierSource(provenance: $0) }
            ?? IdentifierSource(provenance: .caller, requestId: transaction.recording?.requestId)
        return try state(aliases, of: customers, from: source, at: now, in: scope)
    }

    /// The same from any source without a signature of Apple's.
    @discardableResult
    func state(
        _ aliases: [CustomerAlias], of customers: [CustomerNumber], from source: IdentifierSource, at now: Instant,
        in scope: ScopeNumber
    ) throws -> [CustomerAlias] {
        let statement = try statement(of: aliases, for: customers, in: scope)
        for new in statement.new {
            try attach(new.alias, to: new.customer, from: source, at: now, in: scope)
        }
        return statement.foreign
    }

    public enum Detaching: Sendable, Hashable {
        case detached([CustomerNumber])
        /// Apple's data names it for one of them, so nothing was changed.
        case proven
    }

    /// Takes an alias that was only stated from these customers, and tells the audit.
    ///
    /// - Parameter reason: why, as it was typed; it names no person.
    public func detach(
        _ alias: CustomerAlias, from customers: [CustomerNumber], reason: String, at now: Instant, in scope: ScopeNumber
    ) throws -> Detaching {
        let proven = try holders(of: alias, where: Self.isProven("a"), limit: .max, in: scope)
        guard Set(proven).isDisjoint(with: customers) else { return .proven }
        let log = try transaction.audit()
        var detached: [CustomerNumber] = []
        for customer in Set(customers).sorted() {
            let deleted = try transaction.changes(
                by: "DELETE FROM customer_alias WHERE scope_id = ?1 AND kind = ?2 AND value = ?3 AND customer_id = ?4",
                scope, alias.kind, alias.value, customer)
            guard deleted > 0 else { continue }
            detached.append(customer)
            log.record(
                .unlink, at: now, in: scope,
                after: [
                    "alias": log.digests.keyed.digest(of: Array("\(alias.kind)=\(alias.value)".utf8)),
                    "customer": customer,
                    "kind": alias.kind, "reason": reason,
                ])
        }
        if !detached.isEmpty { try noteChange(try StoreClock(transaction).nextSequence(), of: detached) }
        return .detached(detached)
    }
}
