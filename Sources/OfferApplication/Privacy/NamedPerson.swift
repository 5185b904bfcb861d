import OfferModel
import OfferStore

/// Whom the identifiers of a data request name. Stricter than the subject of an offer request: giving out or erasing the
/// data of somebody else cannot be taken back.
struct NamedPerson {
    /// The customers, the earliest stored first.
    let customers: [CustomerNumber]

    /// Every identifier has to name the person; signed ones name one customer, aliases alone may name several of one
    /// Apple account.
    ///
    /// - Throws: ``RequestError/unknownCustomer``, ``RequestError/ambiguousCustomer(detail:)``.
    init(_ identifiers: CustomerIdentifiers, in scope: ScopeNumber, _ transaction: any StoreTransaction) throws {
        let store = CustomerStore(transaction)
        let named =
            try identifiers.proven.map { Set(try store.customers(proven: [$0], in: scope)) }
            + identifiers.aliases.map { Set(try store.customers(aliases: [$0], in: scope)) }
        guard let first = named.first, !named.contains(where: \.isEmpty) else { throw RequestError.unknownCustomer }
        let common = named.dropFirst().reduce(first) { $0.intersection($1) }
        guard !common.isEmpty else {
            throw RequestError.ambiguousCustomer(detail: "the identifiers name different customers")
        }
        guard common.count <= Subject.maximumCustomers else {
            throw RequestError.ambiguousCustomer(
                detail: "the identifiers name more than \(Subject.maximumCustomers) customers")
        }
        // Subscriptions of one account that are not proven to be so may as well be of two.
        let signed = try store.customers(common.sorted()).count {
            !$0.originalTransactionIds.isEmpty || !$0.appTransactionIds.isEmpty
        }
        guard signed <= 1 else {
            throw RequestError.ambiguousCustomer(
                detail:
                    "the identifiers name \(signed) customers with purchases of their own, who may be different people")
        }
        customers = common.sorted()
    }
}
