import OfferAPI
import OfferModel
import OfferStore

// Limits per account of the app (docs/design.md#issued-offers-and-limits): what its other Apple Accounts have used is
// read with the snapshot, and nothing of it may have changed in the transaction that issues the offer.

extension Snapshot {
    /// Reads the uses by the app account's other Apple Accounts.
    mutating func readAccountUses(
        of questions: [Question], policy: Policy, _ transaction: any StoreTransaction
    ) throws {
        guard !signUp.isUnknown else { return }
        // By index, because a copy of a question is expensive.
        let limited = questions.indices.filter { questions[$0].offer.hasAccountLimit }
        guard !limited.isEmpty else { return }
        let ids = Set(limited.flatMap { questions[$0].offer.ids }).sorted()
        if let number { try transaction.expect { [self] in _ = try othersOfAccount(ids, in: number, $0) } }
        let others = try number.map { try othersOfAccount(ids, in: $0, transaction) } ?? OthersOfAccount(offers: ids)
        guard others.all.count <= NamedCustomers.maximumCustomers else { return }
        try transaction.expect(
            { _ = try CustomerStore($0).version(of: others.all) },
            { for other in others.all { _ = try SubjectFacts.read([other], $0) } })
        account = (others, try CustomerStore(transaction).version(of: others.all))
        let subjects = try others.all.map { other in
            let facts = try SubjectFacts.read([other], transaction)
            let subject = PreparedSubject(
                now < present ? try facts.turned(to: now, of: [other], transaction) : facts, policy: policy)
            return (subject: subject, isHolder: others.holders.contains(other))
        }
        for index in limited {
            var question = questions[index]
            question.takesHistoryAsProven = false
            facts.accountUses[question.offer.id] = subjects.flatMap {
                $0.subject.accountUses(question, knownOnly: !$0.isHolder)
            }
        }
    }

    /// The account's Apple Accounts besides the request's own customers; not all of them if there are too many.
    ///
    /// - Parameter offers: whose uses count.
    func othersOfAccount(
        _ offers: [OfferId], in scope: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> OthersOfAccount {
        let identifiers = CustomerIdentifiers(appAccountToken: signUp.appAccountToken, customerId: signUp.customerId)
        let limit = subject.customers.count + NamedCustomers.maximumCustomers + 1
        let holders = try CustomerStore(transaction).holders(of: identifiers.aliases, limit: limit, in: scope)
        let receivers = try signUp.customerId.map {
            try IssuedOfferStore(transaction).receivers(of: offers, under: $0, at: now, limit: limit, in: scope)
        }
        return OthersOfAccount(
            offers: offers, holders: holders.filter { !subject.customers.contains($0) },
            receivers: (receivers ?? []).filter { !subject.customers.contains($0) && !holders.contains($0) })
    }
}

/// Apple Accounts of one account of the app.
struct OthersOfAccount: Sendable, Hashable {
    var offers: [OfferId]
    /// Those that have one of its aliases, from whichever source.
    var holders: [CustomerNumber] = []
    /// Those that only got an offer under it: nothing but these offers is the account's.
    var receivers: [CustomerNumber] = []

    var all: [CustomerNumber] { holders + receivers }
}

extension SubjectFacts {
    /// The uses known at an earlier instant: what was issued later is not, what ended later still holds, and of the
    /// history what had arrived or was signed and bought by then.
    func turned(
        to instant: Instant, of customers: [CustomerNumber], _ transaction: any StoreTransaction
    ) throws -> SubjectFacts {
        var facts = self
        facts.history = History()
        facts.issuedOffers = try IssuedOfferStore(transaction).issuedOffers(of: customers, asOf: instant)
        facts = facts.known(asOf: instant)
        facts.history = try HistoryStore(transaction).history(of: customers, asOf: instant)
        return facts
    }
}
