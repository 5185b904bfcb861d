import OfferModel
import OfferStore
import OfferTestSupport

extension LowercaseUUID {
    /// A UUID that follows from a number.
    static func number(_ number: Int) -> LowercaseUUID {
        var bytes = [UInt8](repeating: 0, count: 16)
        for index in 0..<8 {
            bytes[8 + index] = UInt8(truncatingIfNeeded: number >> (8 * (7 - index)))
        }
        return LowercaseUUID(version4From: bytes)
    }
}

extension HistoryPayload {
    /// A bought subscription, whose bytes follow from what the test says about it.
    static func bought(
        _ id: TransactionId, original: TransactionId? = nil, account: AppTransactionId? = nil,
        token: AppAccountToken? = nil, signed: Instant = Bench.now, bytes: String = "", provenance: Provenance = .client
    ) -> HistoryPayload {
        let transaction = Transaction.fixture(
            id, original: original, purchased: Bench.now.adding(milliseconds: -1_000_000), signed: signed
        ) {
            $0.appTransactionId = account
            $0.appAccountToken = token
        }
        let names = [id.rawValue, (original ?? id).rawValue, account?.rawValue, token?.description, bytes]
        let name = "bought \(names.map { $0 ?? "-" }.joined(separator: " ")) \(signed.milliseconds)"
        return HistoryPayload(.transaction(transaction), bytes: Array(name.utf8), provenance: provenance)
    }

    /// Renewal info of a subscription.
    static func renews(
        _ original: TransactionId, account: AppTransactionId? = nil, token: AppAccountToken? = nil,
        signed: Instant = Bench.now, provenance: Provenance = .client
    ) -> HistoryPayload {
        let info = RenewalInfo.fixture(original, signed: signed) {
            $0.appTransactionId = account
            $0.appAccountToken = token
        }
        let names = [original.rawValue, account?.rawValue, token?.description]
        let name = "renews \(names.map { $0 ?? "-" }.joined(separator: " ")) \(signed.milliseconds)"
        return HistoryPayload(.renewalInfo(info), bytes: Array(name.utf8), provenance: provenance)
    }

    /// An app transaction.
    static func installed(_ account: AppTransactionId?, created: Instant = Bench.now) -> HistoryPayload {
        var transaction = AppTransaction(bundleId: "com.example.pro", receiptCreationDate: created)
        transaction.appTransactionId = account
        let name = "installed \(account?.rawValue ?? "") \(created.milliseconds)"
        return HistoryPayload(.appTransaction(transaction), bytes: Array(name.utf8), provenance: .client)
    }
}

extension IssuedOffer {
    /// An issued offer of a signed promotional offer that lives a day and counts an hour longer.
    static func fixture(_ number: Int, offer: OfferId = "comeback", issued: Instant = Bench.now) -> IssuedOffer {
        let expires = issued.adding(milliseconds: Instant.Duration.day)
        return IssuedOffer(
            id: .number(number), offerId: offer, offerIdentifier: "comeback50", offerType: .promotional,
            delivery: .signature, productId: "com.example.pro.monthly", subscriptionGroupIdentifier: "21500001",
            tags: ["comeback", "Frühling \"26\""], issuedAt: issued, expiresAt: expires,
            countsUntil: expires.adding(milliseconds: Instant.Duration.hour), signings: 1)
    }
}

extension DecisionRecord {
    /// Nothing of a record that holds a number beyond what is stored.
    var stored: [UInt8] { (try? packed()) ?? [] }

    /// A record of a decision on the offer `comeback` that depended on nothing but what the test says.
    static func fixture(_ change: (inout DecisionRecord) -> Void = { _ in }) -> DecisionRecord {
        let offer = Offer(
            id: "comeback", type: .promotional, delivery: .signature, offerIdentifier: "comeback50",
            products: ["com.example.pro.monthly"], paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1,
            limits: [])
        let question = Question(
            now: Bench.now, scope: Scope(bundleId: "com.example.pro", environment: .sandbox),
            offer: CompiledOffer(offer), productId: "com.example.pro.monthly", subscriptionGroupIdentifier: "21500001",
            catalog: CompiledCatalog(Catalog(bundleId: "com.example.pro")))
        var order = Order()
        order.formats = [.v2]
        var record = DecisionRecord(
            question, Decision(findings: []), order: order, catalogRevision: 3, customers: [], facts: SubjectFacts(),
            historySequence: 0)
        change(&record)
        return record
    }
}

extension Refusal {
    static func fixture(
        _ number: Int, customer: CustomerNumber?, record: DecisionRecord = .fixture(),
        statement: RecordedSignature? = nil
    ) -> Refusal {
        Refusal(
            id: .number(number), customer: customer, offerId: "comeback", decidedAt: Bench.now, catalogRevision: 3,
            outcome: .ineligible, record: record.stored, statement: statement)
    }
}

extension Signing {
    static func fixture(
        _ number: Int, customer: CustomerNumber, at instant: Instant = Bench.now,
        signatures: [RecordedSignature]? = nil
    ) -> Signing {
        Signing(
            decisionId: .number(number), decidedAt: instant, customer: customer, catalogRevision: 3,
            record: DecisionRecord.fixture().stored,
            signatures: signatures ?? [.fixture(number, at: instant)])
    }
}

extension RecordedSignature {
    static func fixture(
        _ number: Int, format: ArtefactFormat = .v2, allow: Bool? = nil, at instant: Instant = Bench.now
    ) -> RecordedSignature {
        RecordedSignature(
            nonce: .number(number), format: format, allowIntroductoryOffer: allow, keyId: "2X9R4HXF34",
            timestamp: instant, productId: "com.example.pro.monthly", appAccountToken: .number(77),
            transactionId: "1000", artefact: "header.payload.signature")
    }

    /// The default signatures of an issued offer: one that names no customer.
    fileprivate static func usual(_ issuedOffer: IssuedOffer, at instant: Instant) -> [RecordedSignature] {
        guard issuedOffer.delivery != .appStore else { return [] }
        let isIntroductory = issuedOffer.delivery == .introductoryEligibility
        return [
            RecordedSignature(
                nonce: issuedOffer.id, format: isIntroductory ? .introductoryEligibility : .v2,
                allowIntroductoryOffer: isIntroductory ? true : nil, keyId: "2X9R4HXF34", timestamp: instant,
                productId: issuedOffer.productId, appAccountToken: issuedOffer.signUp?.appAccountToken,
                artefact: "header.payload.signature")
        ]
    }
}

extension IssuedOfferStore {
    /// An issued offer with a first signing of which the test says only what it is about.
    func insert(
        _ issuedOffer: IssuedOffer, catalogRevision: Int64, for customer: CustomerNumber, subject: [CustomerNumber],
        caps: [CounterStore.Cap] = [], signatures: [RecordedSignature]? = nil,
        record: DecisionRecord = .fixture(), in scope: ScopeNumber
    ) throws {
        let signing = Signing(
            decisionId: issuedOffer.id, decidedAt: issuedOffer.issuedAt, customer: customer,
            catalogRevision: catalogRevision,
            record: record.stored,
            signatures: signatures ?? RecordedSignature.usual(issuedOffer, at: issuedOffer.issuedAt))
        try insert(issuedOffer, by: signing, subject: subject, caps: caps, in: scope)
    }

    /// A further signing for the customer whose issued offer it is.
    func addSigning(
        to id: LowercaseUUID, productId: ProductId? = nil, cost: Money? = nil, expiresAt: Instant,
        countsUntil: Instant, at now: Instant, subject: [CustomerNumber], caps: [CounterStore.Cap] = [],
        in scope: ScopeNumber
    ) throws -> Int? {
        guard let issued = try issuedOffer(id, in: scope) else { return nil }
        let signing = Signing(
            decisionId: id, decidedAt: now, customer: issued.customer, catalogRevision: issued.catalogRevision,
            record: DecisionRecord.fixture().stored, signatures: RecordedSignature.usual(issued.issuedOffer, at: now))
        return try addSigning(
            to: id, signing, productId: productId, cost: cost, expiresAt: expiresAt, countsUntil: countsUntil, at: now,
            subject: subject, caps: caps, in: scope)
    }
}

extension StoredAPIKey {
    /// A client's key.
    static func fixture(_ id: String) -> StoredAPIKey {
        StoredAPIKey(
            id: id, scope: Scope(bundleId: "com.example.pro", environment: .sandbox), role: .client,
            secretDigest: Array(0..<32), createdAt: Bench.now)
    }
}

/// A notification, and what is stored beside it.
struct KeptNotification {
    var stored: StoredNotification
    var identifier: ProvenIdentifier?
    var payload: String

    /// A renewal of the subscription `1`; set what the test is about.
    static func fixture(
        _ uuid: String, signed: Instant = Bench.now, _ change: (inout KeptNotification) -> Void = { _ in }
    ) -> KeptNotification {
        let notification = AppStoreNotification(
            notificationType: .didRenew, notificationUUID: uuid, signedDate: signed)
        var kept = KeptNotification(
            stored: StoredNotification(notification, source: .delivered, outcome: .added, at: Bench.now),
            identifier: .originalTransactionId("1"), payload: "jws of \(uuid)")
        kept.stored.transactionId = "1"
        kept.stored.productId = "com.example.pro.monthly"
        change(&kept)
        return kept
    }
}

extension NotificationStore {
    func insert(_ kept: KeptNotification, at now: Instant, in scope: ScopeNumber) throws {
        var stored = kept.stored
        stored.receivedAt = now
        try insert(stored, about: kept.identifier, payload: kept.payload, in: scope)
    }
}
