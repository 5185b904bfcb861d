public import OfferAPI
public import OfferModel
import OfferSigning
import OfferStore

/// An issue request with its decision, and all that the decision rests on.
struct Issuance: Sendable {
    var request: IssueRequest
    /// The identifiers that the request's signed data proves.
    var signed: [ProvenIdentifier]
    var caller: Caller
    var snapshot: Snapshot
    var question: Question
    var decision: Decision
    var plan: SigningPlan
    /// The grant of support that the offer needs: the one that it would use, or that the open issued offer used.
    var grant: Grant?
    /// The open issued offer that a further signing belongs to.
    var open: OpenIssuedOffer?
    /// The same, if its newest signatures are handed out again.
    var stored: OpenIssuedOffer?
    /// The signed data of the request that was not used.
    var ignored: [IgnoredData]?

    func redeemedIssuedOffers(of subject: PreparedSubject) -> [LowercaseUUID] {
        snapshot.facts.issuedOffers.isEmpty ? [] : subject.redemptions(of: question.offer).compactMap(\.issuedOfferId)
    }

    /// Whether nothing that the decision rests on has changed since it was read, and it was read a moment ago.
    func stillHolds(in number: ScopeNumber, _ transaction: any StoreTransaction) throws -> Bool {
        let last = try StoreClock(transaction).lastInstant() ?? snapshot.now
        guard last.milliseconds(since: snapshot.now) <= IssuedOfferStore.settlingDelay else { return false }
        return try snapshot.stillHolds(request.customer, signed: signed, in: number, transaction)
    }

    /// What the transaction that records the decision asks first, of rows of its customers alone: those of others of the
    /// app account may have changed with a body before it.
    func expectation(_ reply: IssueReply) -> WriteExpectation? {
        guard let number = snapshot.number else { return nil }
        let (now, customers) = (snapshot.now, snapshot.subject.customers)
        return WriteExpectation(
            of: customers.map(Concern.customer) + request.customer.concerns + signed.map(Concern.identifier)
                + reply.concerns,
            [
                { _ = try reply.earlier(at: now, $0) },
                { _ = try StoreClock($0).lastInstant() },
                { _ = try ScopeStore($0).generation(of: number) },
                { transaction in
                    guard !snapshot.subject.isProvenWhole else { return }
                    _ = try NamedCustomers.resolve(request.customer, signed: signed, in: number, transaction)
                },
                { _ = try CustomerStore($0).version(of: customers) },
                { _ = try sharedLimits(in: number, $0) },
                { try CounterStore($0).askBeforeCounting(open?.issuedOffer.offerId ?? question.offer.id, in: number) },
                { transaction in
                    guard let customer = customers.first, open == nil else { return }
                    try RedemptionStore(transaction).matchLaterEvidence(
                        of: customer, since: now, offers: question.offers, at: now, in: number)
                },
            ])
    }

    /// Whether a refusal carries a statement that keeps StoreKit from granting the introductory offer: it is withheld, and
    /// there is a transaction for the statement to name.
    var blocksIntroductoryOffer: Bool {
        question.offer.delivery == .introductoryEligibility && decision.isWithheld && plan.transactionId != nil
    }

    /// Whether this is the first request that finds the offer open to the subject.
    var opens: Bool { decision.opening(question, facts: snapshot.facts) != nil }

    /// Notes that the offer is open to the subject from now on, if this is the first request that finds it so; the
    /// decision must still hold.
    func noteOpening(_ transaction: any StoreTransaction) throws {
        guard let opened = decision.opening(question, facts: snapshot.facts) else { return }
        try OpeningStore(transaction).open(question.offer.id, to: snapshot.subject.customers, at: opened)
    }

    var record: DecisionRecord {
        DecisionRecord(
            question, decision, order: DecisionRecord.Order(request, for: question.signUp),
            catalogRevision: snapshot.catalogRevision,
            customers: snapshot.subject.customers, facts: snapshot.facts, historySequence: snapshot.sequence)
    }

    /// The owner of a new issued offer: the customer of the transaction that is signed (docs/design.md#identity); the
    /// decision must still hold.
    ///
    /// - Throws: ``UnsignableOffer`` if there is none, which a decision never lets through.
    func owner(in number: ScopeNumber, _ transaction: any StoreTransaction) throws -> CustomerNumber {
        // A subscription of the history that was read belongs to a customer whose rows were read.
        let customers = snapshot.subject.customers
        if case .transaction = plan.transactionId, let only = customers.first, customers.count == 1 { return only }
        let identifier: ProvenIdentifier? =
            switch plan.transactionId {
            case .transaction(let id): .originalTransactionId(id)
            case .appTransaction(let id): .appTransactionId(id)
            case nil: nil
            }
        guard let identifier, let owner = try CustomerStore(transaction).customer(identifier, in: number) else {
            throw UnsignableOffer(detail: "no customer")
        }
        return owner
    }

    func decided(with counters: OfferCounters, policy: Policy) -> Issuance {
        var again = self
        again.snapshot.facts.counters[question.offer.id] = counters
        again.decision = decide(question, facts: again.snapshot.facts, policy: policy)
        return again
    }
}

extension Decision {
    /// Whether the offer is kept from the customer: by a no, or because a term of the catalog is open. Where only Apple's
    /// own rules are open, the App Store has the answer and StoreKit gives it; of the catalog's terms it knows nothing.
    var isWithheld: Bool {
        outcome == .ineligible || findings.contains { $0.verdict == .undetermined && !$0.rule.isAnsweredByAppStore }
    }
}

extension RuleId {
    /// Whether the App Store enforces the rule too; `again` only widens what it allows.
    fileprivate var isAnsweredByAppStore: Bool { rawValue.hasPrefix("platform.") || self == .ruleAgain }
}

extension DecisionRecord.Order {
    init(_ request: IssueRequest, for account: SignUp) {
        self.init()
        originalTransactionId = request.customer.originalTransactionId
        appTransactionId = request.customer.appTransactionId
        appAccountToken = account.appAccountToken
        customerId = account.customerId
        formats = request.formats ?? []
        fresh = request.fresh
    }
}

extension Offer {
    /// The product that is requested.
    ///
    /// - Throws: `productRequired` if the offer has several and none is named, `invalidRequest` if the one named is not
    ///   the offer's.
    func product(asked: ProductId?) throws -> ProductId {
        if let asked {
            guard products.contains(asked) else {
                throw RequestError.invalidRequest(
                    pointer: "/productId", detail: "the offer `\(id)` is not for `\(asked)`",
                    hint: "set `productId` to one of " + products.map { "`\($0)`" }.joined(separator: ", "))
            }
            return asked
        }
        guard products.count == 1, let only = products.first else {
            throw RequestError.productRequired(offerId: id, products: products)
        }
        return only
    }
}

/// An open issued offer as it is stored, with its newest signing (docs/design.md#issued-offers-and-limits).
struct OpenIssuedOffer: Sendable {
    var issuedOffer: IssuedOffer
    var catalogRevision: Int
    var newestSigning: Signing

    /// Whether its newest signing answers the plan: it equals what the plan would make, and has enough life left.
    ///
    /// Where nothing is signed there is no signature to use up, and none that expires before the issued offer does:
    /// the issued offer itself is handed out again for the same product, also if something fresh is asked for.
    func answers(_ plan: SigningPlan, fresh: Bool, at now: Instant, _ policy: Policy) -> Bool {
        let signatures = newestSigning.signatures
        guard plan.isSigned else {
            return signatures.isEmpty && issuedOffer.productId == plan.productId && now < issuedOffer.expiresAt
        }
        guard !signatures.contains(where: \.isRemoved) else { return false }
        guard !fresh, let timestamp = signatures.first?.timestamp, plan.matches(signatures) else { return false }
        let life = timestamp.adding(milliseconds: policy.signatureLife).milliseconds(since: now)
        return life >= policy.storedSignatureMinimumLife
    }
}

public enum IssueAnswer: Sendable, Hashable {
    /// Signed and recorded; `isNew` is false if stored signatures are handed out again.
    case issued(IssuedOfferView, isNew: Bool)
    case refused(IssueRefusal)
}

/// A no, or not enough to decide: recorded, and for introductory offers perhaps with a signed block.
public struct IssueRefusal: Sendable, Hashable {
    public var decisionId: LowercaseUUID
    public var decision: Decision
    public var outlook: Outlook
    /// The statement that blocks the introductory offer, if it is withheld and the customer has a known transaction.
    public var introductoryEligibility: IntroductoryEligibilityBody?
    /// The signed data of the request that was not used.
    public var ignored: [IgnoredData]?
    /// The signals that the catalog lets an app state.
    package var appSignals: [String] = []
}
