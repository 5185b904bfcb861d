import AppStoreData
import OfferModel
public import OfferSigning
import OfferStore

/// A notification after everything that is signed in it was checked: itself, and each text inside of it.
///
/// Its effect on the history follows from these texts, whatever its type (docs/notifications.md).
struct VerifiedNotification: Sendable {
    let notification: AppStoreNotification
    private(set) var payloads: [HistoryPayload] = []
    /// The customer it is about; `nil` if it names none.
    private(set) var identifier: ProvenIdentifier?
    private(set) var transactionId: TransactionId?
    private(set) var productId: ProductId?
    private(set) var newestDateOfApple: Instant?
    let jws: String

    /// Checks a notification, from the outside in; the first that is refused refuses all of it.
    init(_ jws: String, reader: SignedDataReader, now: Instant) throws(SignedDataRefusal) {
        let verified = try reader.notification(jws, now: now)
        notification = verified.payload
        self.jws = jws
        note(verified)
        if let text = notification.data?.signedRenewalInfo {
            try within("data.signedRenewalInfo") { it throws(SignedDataRefusal) in
                it.add(try reader.renewalInfo(text, now: now), in: verified)
            }
        }
        if let text = notification.data?.signedTransactionInfo {
            try within("data.signedTransactionInfo") { it throws(SignedDataRefusal) in
                it.add(try reader.transaction(text, now: now))
            }
        }
        if let text = notification.appData?.signedAppTransactionInfo {
            try within("appData.signedAppTransactionInfo") { it throws(SignedDataRefusal) in
                it.add(try reader.appTransaction(text, now: now))
            }
        }
        if productId == nil { productId = notification.summary?.productId }
    }

    private mutating func add(_ renewalInfo: Verified<RenewalInfo>, in envelope: Verified<AppStoreNotification>) {
        note(renewalInfo)
        var info = renewalInfo.payload
        identifier = .originalTransactionId(info.originalTransactionId)
        productId = info.productId
        guard info.isInBillingRetryPeriod == true, info.gracePeriodExpiresDate == nil,
            let status = envelope.payload.data?.status
        else { return keep(.renewalInfo(info), renewalInfo.payloadBytes) }
        // Then it is what the whole notification says, so the bytes are those of the whole.
        info.notifiedStatus = status
        keep(.renewalInfo(info), envelope.payloadBytes)
    }

    private mutating func add(_ transaction: Verified<Transaction>) {
        note(transaction)
        identifier = .originalTransactionId(transaction.payload.originalTransactionId)
        transactionId = transaction.payload.transactionId
        productId = transaction.payload.productId
        keep(.transaction(transaction.payload), transaction.payloadBytes)
    }

    /// One without `appTransactionId` names no customer, so there is no history it could belong to.
    private mutating func add(_ appTransaction: Verified<AppTransaction>) {
        note(appTransaction)
        guard let id = appTransaction.payload.appTransactionId else { return }
        identifier = identifier ?? .appTransactionId(id)
        keep(.appTransaction(appTransaction.payload), appTransaction.payloadBytes)
    }

    private mutating func keep(_ content: HistoryPayload.Content, _ bytes: [UInt8]) {
        payloads.append(HistoryPayload(content, bytes: bytes, provenance: .notification))
    }

    private mutating func note<Payload>(_ verified: Verified<Payload>) {
        guard verified.anchor == .apple else { return }
        newestDateOfApple = max(newestDateOfApple ?? verified.signedDate, verified.signedDate)
    }

    /// Names the text in which something was refused.
    private mutating func within(
        _ member: String, _ add: (inout Self) throws(SignedDataRefusal) -> Void
    ) throws(SignedDataRefusal) {
        do throws(SignedDataRefusal) {
            try add(&self)
        } catch {
            let place = ([member] + (error.member.map { [$0] } ?? [])).joined(separator: ".")
            throw SignedDataRefusal(error.code, "in `\(member)`: \(error.detail)", member: place)
        }
    }

    /// The notification as it is stored, with what came of its payloads.
    func stored(_ source: NotificationSource, outcomes: [IngestOutcome], at now: Instant) -> StoredNotification {
        var stored = StoredNotification(
            notification, source: source, outcome: NotificationOutcome(of: outcomes), at: now)
        stored.transactionId = transactionId
        stored.productId = productId
        return stored
    }
}

extension SignedDataRefusal {
    /// Whether a notification that was refused so may be accepted later: once the clock or `appAppleId` is right, or by
    /// a version that reads what Apple signed within a notification that is believed itself.
    public var mayHeal: Bool {
        code == .signedInFuture || code == .wrongAppAppleId
            || ["data.signed", "appData.signed"].contains { member?.hasPrefix($0) ?? false }
    }
}

extension NotificationOutcome {
    /// The most that came of any payload.
    init(of outcomes: [IngestOutcome]) {
        if outcomes.contains(.added) {
            self = .added
        } else if outcomes.contains(.updated) {
            self = .updated
        } else {
            self = outcomes.isEmpty ? .noHistory : .unchanged
        }
    }
}
