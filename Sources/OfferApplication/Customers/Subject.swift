import OfferModel
import OfferStore

/// Every customer a request names, decided together and never merged (docs/design.md#identity).
struct Subject {
    /// The customers, the earliest stored first; empty for somebody unknown.
    var customers: [CustomerNumber]
    /// Whether each identifier of Apple's that the request names belonged to a customer, and so these are all of them: what
    /// else the identifiers could name from now on is a merge's doing, and that shows in their versions.
    var isProvenWhole = false

    /// How many customers one subject may have.
    static let maximumCustomers = 16

    /// Finds whom a request names: those of its signed data if it has any, else of its proven identifiers, else of its
    /// aliases.
    ///
    /// - Throws: ``RequestError/ambiguousCustomer(detail:)`` if they cannot be one person.
    static func resolve(
        _ identifiers: CustomerIdentifiers, signed: [ProvenIdentifier], in scope: ScopeNumber,
        _ transaction: any StoreTransaction
    ) throws -> Subject {
        let store = CustomerStore(transaction)
        let statedOwners = try identifiers.proven.map { try store.customer($0, in: scope) }
        let signedOwners = try signed.map { try store.customer($0, in: scope) }
        let stated = Set(statedOwners.compactMap(\.self)).sorted()
        var customers = Set(signedOwners.compactMap(\.self)).sorted()
        if customers.isEmpty { customers = stated }
        let isProvenWhole = !customers.isEmpty && !statedOwners.contains(nil) && !signedOwners.contains(nil)
        if customers.isEmpty { customers = try store.customers(aliases: identifiers.aliases, in: scope) }
        guard Set(stated).isSubset(of: customers) else {
            throw RequestError.ambiguousCustomer(
                detail: "a stated identifier names another customer than the signed data does")
        }
        guard customers.count <= maximumCustomers else {
            throw RequestError.ambiguousCustomer(
                detail: "the identifiers name \(customers.count) customers, more than \(maximumCustomers)")
        }
        if customers.count > 1 {
            let accounts = try store.customers(customers).flatMap(\.appTransactionIds)
            guard Set(accounts).count <= 1 else {
                throw RequestError.ambiguousCustomer(
                    detail: "the identifiers name \(Set(accounts).count) different Apple accounts")
            }
        }
        return Subject(customers: customers, isProvenWhole: isProvenWhole)
    }

    /// Refuses aliases that Apple's data names for another customer: a request that states them with this subject mixes up two.
    ///
    /// - Throws: ``RequestError/foreignAlias(kind:)``, and what the store throws.
    func requireOwn(
        _ aliases: [CustomerAlias], in scope: ScopeNumber, _ transaction: any StoreTransaction
    ) throws {
        try Self.require(try CustomerStore(transaction).statement(of: aliases, for: customers, in: scope).foreign)
    }

    /// The same of what stating them came to.
    static func require(_ foreign: [CustomerAlias]) throws(RequestError) {
        if let alias = foreign.first { throw .foreignAlias(kind: alias.kind) }
    }
}

extension CustomerIdentifiers {
    /// What Apple signs.
    var proven: [ProvenIdentifier] {
        (originalTransactionId.map { [.originalTransactionId($0)] } ?? [])
            + (appTransactionId.map { [.appTransactionId($0)] } ?? [])
    }

    /// What the app says.
    var aliases: [CustomerAlias] {
        (appAccountToken.map { [.appAccountToken($0)] } ?? []) + (customerId.map { [.customerId($0)] } ?? [])
    }
}

extension KnownIdentifiers {
    init(_ customer: StoredCustomer) {
        self.init(
            originalTransactionIds: customer.originalTransactionIds,
            appTransactionId: customer.appTransactionIds.first, appAccountTokens: customer.appAccountTokens,
            customerIds: customer.customerIds)
    }
}
