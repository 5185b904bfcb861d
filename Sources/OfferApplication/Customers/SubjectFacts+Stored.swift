import OfferEligibility
import OfferModel
import OfferStore

extension SubjectFacts {
    /// What is known of some customers together.
    ///
    /// - Parameter identifiers: how the request names them; somebody unknown takes part in rollouts under the identifier
    ///   by which they would be stored (docs/design.md#decisions).
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
            slots: try SlotStore(transaction).slots(of: customers),
            attributes: overview.hasAttributes ? try AttributeStore(transaction).attributes(of: customers) : [:],
            firstStoredAt: overview.firstStoredAt, rolloutKey: overview.rolloutKey ?? identifiers.rolloutKey,
            openedAt: overview.hasOpenings ? try OpeningStore(transaction).openings(of: customers) : [:])
        facts.isUnited = customers.count > 1
        if overview.wereErased {
            facts.keptEvidence = try KeptEvidenceStore(transaction).evidence(of: customers)
        }
        // A used slot is no longer open, whichever customer used it.
        if facts.slots.contains(where: { $0.settledAt != nil || $0.voidedAt != nil }) {
            facts.keptEvidence += try RedemptionStore(transaction).usesByOthers(of: customers).compactMap(\.evidence)
        }
        return facts
    }
}

extension CustomerIdentifiers {
    /// The identifier by which somebody unknown would be stored.
    var rolloutKey: String? {
        appTransactionId?.rawValue ?? originalTransactionId?.rawValue ?? appAccountToken?.description
            ?? customerId?.rawValue
    }

    /// The app's account that they name.
    var signUp: SignUp { SignUp(appAccountToken: appAccountToken, customerId: customerId) }
}
