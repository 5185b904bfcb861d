import OfferAPI
import OfferModel
import OfferStore

/// A customer named by a text of which it is not said what it is, as support has it from a ticket.
enum AnyIdentifier {
    /// The customers that it names as one kind of identifier, or as several that agree.
    ///
    /// - Throws: `ambiguousIdentifier` where it names other customers by another kind; what
    ///   ``NamedCustomers/resolve(_:signed:in:_:)`` throws.
    static func resolve(
        _ text: String, in scope: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> NamedCustomers {
        var found: [(kind: String, customers: NamedCustomers)] = []
        for (kind, identifiers) in try meanings(text, in: scope, transaction) {
            let customers = try NamedCustomers.resolve(identifiers, signed: [], in: scope, transaction)
            if !customers.customers.isEmpty { found.append((kind, customers)) }
        }
        guard Set(found.map(\.customers.customers)).count <= 1 else {
            throw RequestError.ambiguousIdentifier(text, kinds: found.map(\.kind))
        }
        return found.first?.customers ?? NamedCustomers(customers: [])
    }

    private static func meanings(
        _ text: String, in scope: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> [(kind: String, CustomerIdentifiers)] {
        var meanings = [
            ("originalTransactionId", CustomerIdentifiers(originalTransactionId: TransactionId(text))),
            ("appTransactionId", CustomerIdentifiers(appTransactionId: AppTransactionId(text))),
            ("customerId", CustomerIdentifiers(customerId: CustomerId(text))),
        ]
        if let token = AppAccountToken(text) {
            meanings.append(("appAccountToken", CustomerIdentifiers(appAccountToken: token)))
        }
        let subscription = try HistoryStore(transaction).subscription(ofTransaction: TransactionId(text), in: scope)
        if let subscription, subscription != TransactionId(text) {
            meanings.append(("transactionId", CustomerIdentifiers(originalTransactionId: subscription)))
        }
        return meanings
    }
}
