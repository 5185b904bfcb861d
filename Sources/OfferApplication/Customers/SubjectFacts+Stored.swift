import OfferEligibility
import OfferModel
import OfferStore

extension SubjectFacts {
    /// What is known of some customers together.
    ///
    /// - Parameter identifiers: how the request names them; somebody unknown takes part in rollouts under the identifier
    ///   by which they would be stored (DESIGN §5.2).
    static func read(
        _ customers: [CustomerNumber], named identifiers: CustomerIdentifiers = CustomerIdentifiers(),
        _ transaction: any StoreTransaction
    ) throws -> SubjectFacts {
        let first = try CustomerStore(transaction).first(of: customers)
        var facts = SubjectFacts(
            history: try HistoryStore(transaction).history(of: customers),
            slots: try SlotStore(transaction).slots(of: customers),
            attributes: try AttributeStore(transaction).attributes(of: customers), firstStoredAt: first?.storedAt,
            rolloutKey: first?.rolloutKey ?? identifiers.rolloutKey,
            openedAt: try OpeningStore(transaction).openings(of: customers))
        facts.isUnited = customers.count > 1
        if first?.wereErased == true {
            facts.keptEvidence = try KeptEvidenceStore(transaction).evidence(of: customers)
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
