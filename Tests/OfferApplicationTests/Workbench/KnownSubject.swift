import OfferAPI
import OfferModel
import OfferStore
import OfferTestSupport

@testable import OfferApplication

/// What the store holds of the customers that some identifiers name, as domain values.
struct KnownSubject {
    var history: History
    /// Their uses of offers as they are recorded, from the earliest.
    var redemptions: [Redemption]
    var now: Instant
    var issued: [StoredIssuedOffer]
}

extension Workbench {
    func known(_ identifiers: CustomerIdentifiers, caller: Caller = Workbench.client) async throws -> KnownSubject {
        let clock = RequestClock(wallClock: { [clock] in clock.now })
        return try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else {
                throw RequestError.unknownCustomer
            }
            let customers = try NamedCustomers.resolve(identifiers, signed: [], in: number, transaction).customers
            return KnownSubject(
                history: try SubjectFacts.read(customers, transaction).history,
                redemptions: try customers.flatMap(RedemptionStore(transaction).redemptions).map(\.redemption)
                    .sorted { $0.firstEvidence < $1.firstEvidence },
                now: try clock.tolerantInstant(transaction),
                issued: try customers.flatMap(IssuedOfferStore(transaction).issuedOffers(to:)))
        }
    }
}
