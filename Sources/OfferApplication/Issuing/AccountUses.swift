import OfferAPI
import OfferEligibility
import OfferModel
import OfferStore

// Limits per account of the app (docs/design.md#issued-offers-and-limits): what its other Apple Accounts have used is
// read with the snapshot, and nothing of it may have changed in the transaction that issues the offer.

extension Snapshot {
    /// Reads the uses by the app account's other Apple Accounts of offers whose limits count them; to be called where
    /// everything else is supposed.
    mutating func readAccountUses(
        of offers: [(offer: Offer, productId: ProductId)], policy: Policy, _ transaction: any StoreTransaction
    ) throws {
        let limited = offers.filter(\.offer.hasAccountLimit)
        guard !limited.isEmpty, !signUp.isUnknown else { return }
        let others = try number.map { try otherHolders(in: $0, transaction) } ?? []
        guard others.count <= NamedCustomers.maximumCustomers else { return }
        accountVersion = try CustomerStore(transaction).version(of: others)
        let subjects = try others.map { other in
            let facts = try SubjectFacts.read([other], transaction)
            return PreparedSubject(
                now < present ? try facts.turned(to: now, of: [other], transaction) : facts, policy: policy)
        }
        for (offer, productId) in limited {
            var question = question(
                offer, productId: productId, signals: [:], request: DeviceRequest(), needsNewSigning: true)
            question.takesHistoryAsProven = false
            facts.accountUses[offer.id] = subjects.flatMap { $0.accountUses(question) }
        }
    }

    /// The Apple Accounts that have one of the request's aliases, from whichever source, besides its own customers; not
    /// all of them if there are too many.
    func otherHolders(in scope: ScopeNumber, _ transaction: any StoreTransaction) throws -> [CustomerNumber] {
        let identifiers = CustomerIdentifiers(appAccountToken: signUp.appAccountToken, customerId: signUp.customerId)
        let limit = subject.customers.count + NamedCustomers.maximumCustomers + 1
        return try CustomerStore(transaction).holders(of: identifiers.aliases, limit: limit, in: scope)
            .filter { !subject.customers.contains($0) }
    }
}

extension SubjectFacts {
    /// What was known at an earlier instant: what was signed, bought or issued later is not, what ended later still
    /// holds.
    func turned(
        to instant: Instant, of customers: [CustomerNumber], _ transaction: any StoreTransaction
    ) throws -> SubjectFacts {
        var facts = self
        facts.history = try HistoryStore(transaction).history(of: customers, asOf: instant)
        facts.issuedOffers = try IssuedOfferStore(transaction).issuedOffers(of: customers, asOf: instant)
        return facts.known(asOf: instant)
    }
}
