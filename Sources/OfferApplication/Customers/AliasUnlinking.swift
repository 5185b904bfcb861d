import OfferModel
import OfferStore

/// Takes an alias from a customer that a backend or an import attached by mistake: `POST /v1/customers/unlink`.
public struct AliasUnlinking: Sendable {
    private let database: Ledger
    private let clock: RequestClock

    init(database: Ledger, clock: RequestClock) {
        self.database = database
        self.clock = clock
    }

    /// Detaches aliases from the customers that the identifiers name; one that they do not have is passed over.
    ///
    /// - Parameters:
    ///   - aliases: only the aliases count.
    ///   - reason: why, for the audit; it names no person, because it stays when the customer is erased.
    /// - Returns: the customers as they are known now, and the names of the aliases that were detached.
    /// - Throws: ``RequestError/unknownCustomer``, ``RequestError/ambiguousCustomer(detail:)``,
    ///   ``RequestError/provenAlias(kind:)``, ``RequestError/invalidRequest(pointer:detail:hint:)`` where a
    ///   customer would be left without an identifier, and what the store throws; then nothing was detached.
    public func unlink(
        _ aliases: CustomerIdentifiers, from identifiers: CustomerIdentifiers, reason: String, caller: Caller
    ) async throws -> (customers: [KnownIdentifiers], unlinked: [String]) {
        let clock = clock
        return try await database.write(by: caller.author) { transaction in
            guard let scope = try ScopeStore(transaction).number(of: caller.scope) else {
                throw RequestError.unknownCustomer
            }
            let now = try clock.instantOfLooking(transaction)
            let customers = try Subject.resolve(identifiers, signed: [], in: scope, transaction).customers
            guard !customers.isEmpty else { throw RequestError.unknownCustomer }
            let store = CustomerStore(transaction)
            var unlinked: [String] = []
            for alias in aliases.aliases {
                switch try store.detach(alias, from: customers, reason: reason, at: now, in: scope) {
                case .proven: throw RequestError.provenAlias(kind: alias.kind)
                case .detached(let detached): if !detached.isEmpty { unlinked.append(alias.kind) }
                }
            }
            let known = try store.customers(customers).map(KnownIdentifiers.init)
            // Without an identifier a customer could be neither found nor erased.
            guard !known.contains(KnownIdentifiers()) else {
                throw RequestError.invalidRequest(
                    pointer: "/aliases", detail: "the customer has no other identifier",
                    hint: "name the customer that the alias was attached to by mistake, by `originalTransactionId` or "
                        + "`appTransactionId`")
            }
            if !unlinked.isEmpty { try StoreClock(transaction).advance(to: now) }
            return (known, unlinked)
        }
    }
}
