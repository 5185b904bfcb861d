public import OfferModel

/// The inputs of a decision and the answer of each rule, as they are kept for replay (invariant 5).
///
/// Messages and evidence are not in it: replay makes them again from the history as it was.
public struct DecisionRecord: Sendable, Hashable {
    public struct Order: Sendable, Hashable {
        public var originalTransactionId: TransactionId?
        public var appTransactionId: AppTransactionId?
        public var appAccountToken: AppAccountToken?
        public var customerId: CustomerId?
        public var formats: [SignatureFormat] = []
        public var fresh = false

        public init() {}
    }

    /// An issued offer as it was seen; its row changes later.
    public struct SeenIssuedOffer: Sendable, Hashable {
        public var id: LowercaseUUID
        public var signings: Int
        public var expiresAt: Instant
        public var countsUntil: Instant
        public var voidedAt: Instant?
        public var isReleased: Bool
        public var settledAt: Instant?
    }

    public var now = Instant.distantPast
    public var order = Order()
    public var catalogRevision = 0
    public var pause = Pause.none
    public var pausedUntil: Instant?
    public var productId: ProductId = ""
    public var needsNewSigning = false
    /// The encodings that were signed where it was asked.
    public var formats: [SignatureFormat] = []
    public var signals: [String: FactValue] = [:]
    public var request = DeviceRequest()
    public var attributes: [String: FactValue] = [:]
    public var firstStoredAt: Instant?
    public var rolloutKey: String?
    public var openedAt: [OfferId: Instant] = [:]
    public var customers: [CustomerNumber] = []
    public var identifiers = SeenIdentifiers(originalTransactionIds: [], appTransactionIds: [])
    public var historySequence: Int64 = 0
    public var issuedOffers: [SeenIssuedOffer] = []
    /// The uses that were known although their history had been erased.
    public var keptEvidence: [KeptEvidence] = []
    /// The uses of the offer by all customers; only if its limits count them.
    public var counters: OfferCounters?
    /// The uses by other Apple Accounts of the app account; only where a limit counts them.
    public var accountUses: [AccountUse]?
    /// What support had granted of the offer.
    public var grants: [Grant] = []
    public var coverage = Coverage.none
    public var findings: [RuleAnswer] = []

    private init() {}

    public static var blank: DecisionRecord { DecisionRecord() }

    /// - Parameter sequence: the newest row of history that was read.
    public init(
        _ question: Question, _ decision: Decision, order: Order, catalogRevision: Int, customers: [CustomerNumber],
        facts: SubjectFacts, historySequence sequence: Int64
    ) {
        now = question.now
        self.order = order
        self.catalogRevision = catalogRevision
        pause = question.pause
        pausedUntil = question.pausedUntil
        productId = question.productId
        needsNewSigning = question.needsNewSigning
        formats = SignatureFormat.allCases.filter(question.formats.contains)
        signals = question.signals
        request = question.request
        attributes = facts.attributes
        firstStoredAt = facts.firstStoredAt
        rolloutKey = facts.rolloutKey
        openedAt = facts.openedAt
        self.customers = customers
        identifiers = SeenIdentifiers(facts.history)
        historySequence = sequence
        issuedOffers = facts.issuedOffers.map(SeenIssuedOffer.init)
        keptEvidence = facts.keptEvidence
        counters = facts.counters[question.offer.id]
        accountUses = facts.accountUses[question.offer.id]
        if !facts.grants.isEmpty { grants = facts.grants.filter { question.offer.has($0.offerId) } }
        coverage = facts.history.coverage
        findings = decision.findings.map(RuleAnswer.init)
    }

    /// Every text of the record that may be an identifier of a person.
    var names: Set<Identifier<ProvenIdentifier>> {
        var names = identifiers.originalTransactionIds.map(\.rawValue)
        names += identifiers.appTransactionIds.map(\.rawValue)
        names += keptEvidence.map(\.originalTransactionId.rawValue)
        names += [
            order.originalTransactionId?.rawValue, order.appTransactionId?.rawValue,
            order.appAccountToken?.description, order.customerId?.rawValue, rolloutKey,
        ].compactMap(\.self)
        for case .text(let text) in Array(signals.values) + Array(attributes.values) { names.append(text) }
        return Set(names.map { Identifier($0) })
    }

    /// The aliases that it was asked by.
    var askedAliases: Set<Identifier<CustomerAlias>> {
        let names = [order.appAccountToken?.description, order.customerId?.rawValue, rolloutKey]
        return Set(names.compactMap { $0.map { Identifier($0) } })
    }
}

extension DecisionRecord.SeenIssuedOffer {
    init(_ issuedOffer: IssuedOffer) {
        self.init(
            id: issuedOffer.id, signings: issuedOffer.signings, expiresAt: issuedOffer.expiresAt,
            countsUntil: issuedOffer.countsUntil,
            voidedAt: issuedOffer.voidedAt, isReleased: issuedOffer.isReleased, settledAt: issuedOffer.settledAt)
    }
}
