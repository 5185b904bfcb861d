public import OfferModel
import OfferStore

/// What the app sets for a customer: `PUT /v1/customers/attributes`.
public struct CustomerAttributes: Sendable {
    private let database: Ledger
    private let clock: RequestClock
    private let rates: RequestRates

    init(database: Ledger, clock: RequestClock, rates: RequestRates) {
        self.database = database
        self.clock = clock
        self.rates = rates
    }

    /// Makes these the only attributes of whom the identifiers name; none takes all away. If they name several customers,
    /// each gets them. The same again changes nothing.
    ///
    /// Somebody unknown is stored under the aliases given, because an alias is the app's own word. An identifier of
    /// Apple's names nobody before signed data with it has arrived.
    ///
    /// - Returns: the customers.
    /// - Throws: ``RequestError/ambiguousCustomer(detail:)``, ``RequestError/foreignAlias(kind:)``,
    ///   ``RequestError/invalidRequest(pointer:detail:hint:)`` for
    ///   somebody unknown without an alias, and what the store throws.
    public func replace(
        _ attributes: [String: FactValue], of identifiers: CustomerIdentifiers, caller: Caller
    ) async throws -> [KnownIdentifiers] {
        try rates.take(identifiers, by: caller)
        let known = try await database.readInline { transaction in
            try ScopeStore(transaction).number(of: caller.scope).map {
                try Subject.resolve(identifiers, signed: [], in: $0, transaction).customers
            } ?? []
        }
        try rates.take(known, by: caller)
        let clock = clock
        return try await database.write(by: caller.author) { transaction in
            let number = try ScopeStore(transaction).findOrAdd(caller.scope)
            let now = try clock.instant(transaction)
            let store = CustomerStore(transaction)
            let subject = try Subject.resolve(identifiers, signed: [], in: number, transaction)
            try subject.requireOwn(identifiers.aliases, in: number, transaction)
            var customers = subject.customers
            if customers.isEmpty {
                guard !identifiers.aliases.isEmpty else {
                    throw RequestError.invalidRequest(
                        pointer: "/customer", detail: "nobody is known by this identifier",
                        hint: "send the customer's signed data first, or name an `appAccountToken` or `customerId`")
                }
                customers = [try store.add(under: identifiers.aliases, at: now, in: number)]
            }
            let isChanged = try AttributeStore(transaction).replace(
                attributes, of: customers, actor: caller.apiKeyId, at: now)
            if isChanged { try StoreClock(transaction).advance(to: now) }
            return try store.customers(customers).map(KnownIdentifiers.init)
        }
    }
}
