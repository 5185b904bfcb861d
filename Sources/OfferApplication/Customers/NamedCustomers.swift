import OfferAPI
import OfferModel
import OfferStore

/// Every customer a request names, decided together and never merged (docs/design.md#identity).
struct NamedCustomers: Sendable, Hashable {
    /// The earliest stored first; empty for an unknown customer.
    var customers: [CustomerNumber]
    /// The newest event when they were found.
    var seenAt: Int64?
    /// Whether each identifier of Apple's that the request names belonged to a customer, and so these are all of them:
    /// what else the identifiers could name from now on is a merge's doing, and that shows in their versions.
    var isProvenWhole = false

    /// How many customers one request may name.
    static let maximumCustomers = 16

    /// Finds the customers of the request's signed data if it has any, else of its proven identifiers, else of its
    /// aliases.
    ///
    /// - Throws: `ambiguousCustomer` if they cannot be one person.
    static func resolve(
        _ identifiers: CustomerIdentifiers, signed: [ProvenIdentifier], in scope: ScopeNumber,
        _ transaction: any StoreTransaction
    ) throws -> NamedCustomers {
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
            // A customer may have several, which a purchase links; two customers never share one.
            let accounts = try store.customers(customers).filter { !$0.appTransactionIds.isEmpty }
            guard accounts.count <= 1 else {
                throw RequestError.ambiguousCustomer(
                    detail: "the identifiers name \(accounts.count) different Apple accounts")
            }
        }
        return NamedCustomers(customers: customers, isProvenWhole: isProvenWhole)
    }

    /// Refuses to go on with a customer who was erased since: the answer would be recorded with identifiers that were
    /// to be forgotten.
    ///
    /// - Throws: `busy`.
    func requireNotErased(_ transaction: any StoreTransaction) throws {
        guard try !ErasureStore(transaction).isErased(customers, after: seenAt ?? 0) else { throw RequestError.busy }
    }

    /// Refuses aliases that Apple's data names for another customer: a request that states them with this subject mixes
    /// up two.
    ///
    /// - Throws: `foreignAlias`.
    func requireOwn(
        _ aliases: [CustomerAlias], in scope: ScopeNumber, _ transaction: any StoreTransaction
    ) throws {
        try Self.require(try CustomerStore(transaction).statement(of: aliases, for: customers, in: scope).foreign)
    }

    /// Refuses the first of the aliases that belong to another customer.
    static func require(_ foreign: [CustomerAlias]) throws(RequestError) {
        if let alias = foreign.first { throw .foreignAlias(kind: alias.kind) }
    }
}

extension CustomerIdentifiers {
    var proven: [ProvenIdentifier] {
        (originalTransactionId.map { [.originalTransactionId($0)] } ?? [])
            + (appTransactionId.map { [.appTransactionId($0)] } ?? [])
    }

    var aliases: [CustomerAlias] {
        (appAccountToken.map { [.appAccountToken($0)] } ?? []) + (customerId.map { [.customerId($0)] } ?? [])
    }

    /// What a write that names them concerns, besides the customers that they name.
    var concerns: [Concern] { proven.map(Concern.identifier) + aliases.map(Concern.alias) }

    /// The identifier by which an unknown customer would be stored.
    var rolloutKey: String? {
        appTransactionId?.rawValue ?? originalTransactionId?.rawValue ?? appAccountToken?.description
            ?? customerId?.rawValue
    }

    /// The app's account that they name.
    var signUp: SignUp { SignUp(appAccountToken: appAccountToken, customerId: customerId) }
}

extension KnownIdentifiers {
    init(_ customer: StoredCustomer) {
        self.init()
        (originalTransactionIds, appTransactionId) = (customer.originalTransactionIds, customer.appTransactionIds.first)
        (appAccountTokens, customerIds) = (customer.appAccountTokens, customer.customerIds)
    }
}

extension SubjectFacts {
    /// The facts of some customers together.
    ///
    /// - Parameter identifiers: how the request names them; an unknown customer takes part in rollouts under the
    ///   identifier by which they would be stored (docs/design.md#decisions).
    static func read(
        _ customers: [CustomerNumber], named identifiers: CustomerIdentifiers = CustomerIdentifiers(),
        _ transaction: any StoreTransaction
    ) throws -> SubjectFacts {
        try read(customers, try CustomerStore(transaction).overview(of: customers), named: identifiers, transaction)
    }

    /// The same with an overview of the customers that was read already, in the same transaction.
    static func read(
        _ customers: [CustomerNumber], _ overview: CustomerOverview, named identifiers: CustomerIdentifiers,
        _ transaction: any StoreTransaction
    ) throws -> SubjectFacts {
        var facts = SubjectFacts(
            history: try HistoryStore(transaction).history(of: customers),
            issuedOffers: try IssuedOfferStore(transaction).issuedOffers(of: customers),
            attributes: overview.hasAttributes ? try AttributeStore(transaction).attributes(of: customers) : [:],
            firstStoredAt: overview.firstStoredAt, rolloutKey: overview.rolloutKey ?? identifiers.rolloutKey,
            openedAt: overview.hasOpenings ? try OpeningStore(transaction).openings(of: customers) : [:])
        facts.isUnited = customers.count > 1
        if overview.hasGrants { facts.grants = try GrantStore(transaction).grants(of: customers).map(\.grant) }
        if overview.wereErased {
            facts.keptEvidence = try KeptEvidenceStore(transaction).evidence(of: customers)
        }
        // A used issued offer is no longer open, whichever customer used it.
        if facts.issuedOffers.contains(where: { $0.settledAt != nil || $0.voidedAt != nil }) {
            facts.keptEvidence += try RedemptionStore(transaction).usesByOthers(of: customers).compactMap(\.evidence)
        }
        return facts
    }
}
