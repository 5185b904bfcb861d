package import OfferAPI
package import OfferModel
import OfferStore

/// Changes to a customer by their app's backend and by support.
public struct CustomerChanges: Sendable {
    let database: Ledger
    let digestKey: (any KeyedDigest)?
    let clock: RequestClock
    let rates: RequestRates

    /// Replaces all attributes of the customers that the identifiers name; an empty set removes them. The same again
    /// changes nothing.
    ///
    /// An unknown customer is stored under the aliases given, because an alias is the app's own word. An identifier of
    /// Apple's names no customer before signed data with it has arrived.
    ///
    /// - Throws: `ambiguousCustomer`, `foreignAlias`, `invalidRequest` for an unknown customer without an alias.
    package func replace(
        _ attributes: [String: FactValue], of identifiers: CustomerIdentifiers, caller: Caller
    ) async throws -> AttributesBody {
        try rates.take([identifiers], by: caller)
        let known = try await database.readInline { transaction in
            try ScopeStore(transaction).number(of: caller.scope).map {
                try NamedCustomers.resolve(identifiers, signed: [], in: $0, transaction).customers
            } ?? []
        }
        try rates.take(known, by: caller)
        return try await database.write(by: caller.author) { transaction in
            let number = try ScopeStore(transaction).findOrAdd(caller.scope)
            let now = try clock.instant(transaction)
            let store = CustomerStore(transaction)
            let subject = try NamedCustomers.resolve(identifiers, signed: [], in: number, transaction)
            try subject.requireOwn(identifiers.aliases, in: number, transaction)
            var customers = subject.customers
            if customers.isEmpty {
                guard !identifiers.aliases.isEmpty else {
                    throw RequestError.invalidRequest(
                        pointer: "/customer", detail: "no customer has this identifier",
                        hint: "send the customer's signed data first, or name an `appAccountToken` or `customerId`")
                }
                customers = [try store.add(under: identifiers.aliases, at: now, in: number)]
            }
            let isChanged = try AttributeStore(transaction).replace(
                attributes, of: customers, actor: caller.apiKeyId, at: now)
            if isChanged { try StoreClock(transaction).advance(to: now) }
            return try AttributesBody { body in
                body.customers = try store.customers(customers).map(KnownIdentifiers.init)
                body.attributes = attributes
            }
        }
    }

    /// Detaches aliases that a backend or an import attached by mistake from the customers that the identifiers name; one
    /// that they do not have is passed over.
    ///
    /// - Parameters:
    ///   - aliases: only the aliases count.
    ///   - reason: why, for the audit; it names no person, because it stays when the customer is erased.
    /// - Throws: `unknownCustomer`, `ambiguousCustomer`, `provenAlias`, `invalidRequest` where a customer would be left
    ///   without an identifier; then nothing was detached.
    package func unlink(
        _ aliases: CustomerIdentifiers, from identifiers: CustomerIdentifiers, reason: String, caller: Caller
    ) async throws -> UnlinkBody {
        return try await database.write(by: caller.author) { transaction in
            guard let scope = try ScopeStore(transaction).number(of: caller.scope) else {
                throw RequestError.unknownCustomer
            }
            let now = try clock.tolerantInstant(transaction)
            let customers = try NamedCustomers.resolve(identifiers, signed: [], in: scope, transaction).customers
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
            return UnlinkBody { ($0.customers, $0.unlinked) = (known, unlinked) }
        }
    }

    /// Resets a tester, so that their next purchase is a new customer's. Never in Production.
    ///
    /// An erasure that keeps no evidence of uses, so limits begin again. It needs no digest key, because what stays is
    /// about a tester.
    ///
    /// - Returns: `nil` in an environment whose customers are not testers.
    /// - Throws: `unknownCustomer`, `ambiguousCustomer`, `busy`, `notReady`, `clockBehind`.
    package func reset(
        _ identifiers: CustomerIdentifiers, reason: String, caller: Caller
    ) async throws -> ResetBody? {
        guard caller.scope.environment.isOfTesters else { return nil }
        do {
            let data = PersonalData(
                ledger: database, digestKey: digestKey, author: caller.author, clock: clock.wallClock)
            let outcome = try await data.erase(identifiers, in: caller.scope, reason: reason, forgets: true)
            return ResetBody { $0.customers = outcome.customers }
        } catch ErasureRefusal.changing {
            throw RequestError.busy
        } catch ErasureRefusal.otherDigestKey(let key) {
            throw RequestError.notReady(
                detail: "rows of the customer were recorded under the digest key `\(key)`",
                hint: "put that key back as `digestKey` in keys.yaml")
        }
    }
}
