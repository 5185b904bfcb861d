import OfferEligibility
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

extension Slot {
    /// A slot of a signed promotional offer that lives a day and counts an hour longer.
    static func fixture(_ number: Int, offer: OfferId = "comeback", issued: Instant = Bench.now) -> Slot {
        let expires = issued.adding(milliseconds: Instant.Duration.day)
        return Slot(
            id: .number(number), offerId: offer, offerIdentifier: "comeback50", offerType: .promotional,
            delivery: .signature, productId: "com.example.pro.monthly", subscriptionGroupIdentifier: "21500001",
            tags: ["comeback", "Frühling \"26\""], issuedAt: issued, expiresAt: expires,
            countsUntil: expires.adding(milliseconds: Instant.Duration.hour), signings: 1)
    }
}

extension RecordedDecision {
    static func fixture(
        _ number: Int, customer: CustomerNumber?, kind: Kind = .issue, issuedOffer: LowercaseUUID? = nil
    ) -> RecordedDecision {
        RecordedDecision(
            id: .number(number), kind: kind, customer: customer, offerId: "comeback", decidedAt: Bench.now,
            catalogRevision: 3, outcome: kind == .refusal ? .ineligible : .eligible, issuedOfferId: issuedOffer,
            body: #"{"findings":[]}"#)
    }
}

extension RecordedSignature {
    static func fixture(
        _ number: Int, slot: LowercaseUUID?, decision: LowercaseUUID, format: Format = .v2, allow: Bool? = nil
    ) -> RecordedSignature {
        RecordedSignature(
            nonce: .number(number), issuedOfferId: slot, signing: slot == nil ? nil : 1, decisionId: decision,
            format: format, allowIntroductoryOffer: allow, keyId: "2X9R4HXF34", timestamp: Bench.now,
            productId: "com.example.pro.monthly", appAccountToken: .number(77), transactionId: "1000",
            artefact: "header.payload.signature")
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

extension NotificationRecord {
    /// A renewal of the subscription `1`; set what the test is about.
    static func fixture(
        _ uuid: String, signed: Instant = Bench.now, _ change: (inout NotificationRecord) -> Void = { _ in }
    ) -> NotificationRecord {
        var record = NotificationRecord(
            notificationUUID: uuid, type: .didRenew, signedDate: signed, source: .delivered, outcome: .added,
            payload: "jws of \(uuid)")
        record.identifier = .originalTransactionId("1")
        record.transactionId = "1"
        record.productId = "com.example.pro.monthly"
        change(&record)
        return record
    }
}
