import AppStoreData
import OfferModel
import OfferSigning

/// The reader that an input is for; the first letter of an input names it, in upper case for Production.
enum FuzzedReader: Character, CaseIterable {
    case transaction = "t"
    case renewalInfo = "r"
    case appTransaction = "a"
    case notification = "n"

    /// A payload with which the text is longer than the reader takes, so that its bounds are met.
    var longestPayload: Int {
        self == .notification ? 200_000 : 100_000
    }

    /// Reads signed text.
    func read(_ text: String, by reader: SignedDataReader, now: Instant) throws(SignedDataRefusal) -> Reading {
        switch self {
        case .transaction: Reading(try reader.transaction(text, now: now)) { .transaction($0) }
        case .renewalInfo: Reading(try reader.renewalInfo(text, now: now)) { .renewalInfo($0) }
        case .appTransaction: Reading(try reader.appTransaction(text, now: now)) { .appTransaction($0) }
        case .notification: Reading(try reader.notification(text, now: now)) { .notification($0) }
        }
    }

    /// Reads a payload that nobody has signed, as a dry-run does with a history that is stated.
    func read(payload bytes: [UInt8]) throws(SignedDataRefusal) -> Payload {
        switch self {
        case .transaction: .transaction(try Transaction(payload: bytes))
        case .renewalInfo: .renewalInfo(try RenewalInfo(payload: bytes))
        case .appTransaction: .appTransaction(try AppTransaction(payload: bytes))
        case .notification: .notification(try AppStoreNotification(payload: bytes))
        }
    }
}

/// A payload of any kind.
enum Payload: Hashable {
    case transaction(Transaction)
    case renewalInfo(RenewalInfo)
    case appTransaction(AppTransaction)
    case notification(AppStoreNotification)

    /// The apps that it names.
    var apps: [BundleId] {
        switch self {
        case .transaction(let transaction): [transaction.bundleId]
        case .renewalInfo: []
        case .appTransaction(let appTransaction): [appTransaction.bundleId]
        case .notification(let notification):
            [
                notification.data?.bundleId, notification.summary?.bundleId,
                notification.externalPurchaseToken?.bundleId, notification.appData?.bundleId,
            ].compactMap { $0 }
        }
    }

    /// The environments that it names.
    var environments: [String] {
        switch self {
        case .transaction(let transaction): [transaction.environment].compactMap { $0 }
        case .renewalInfo(let info): [info.environment].compactMap { $0 }
        case .appTransaction(let appTransaction): [appTransaction.receiptType].compactMap { $0 }
        case .notification(let notification):
            [
                notification.data?.environment, notification.summary?.environment,
                notification.externalPurchaseToken?.environment?.rawValue, notification.appData?.environment,
            ].compactMap { $0 }
        }
    }

    /// The signed data inside of it, with the readers that it is for.
    var signedParts: [(FuzzedReader, String)] {
        guard case .notification(let notification) = self else { return [] }
        let parts: [(FuzzedReader, String?)] = [
            (.transaction, notification.data?.signedTransactionInfo),
            (.renewalInfo, notification.data?.signedRenewalInfo),
            (.appTransaction, notification.appData?.signedAppTransactionInfo),
        ]
        return parts.compactMap { reader, text in text.map { (reader, $0) } }
    }
}

/// A reader's result.
struct Reading: Hashable {
    let payload: Payload
    let bytes: [UInt8]
    let date: Instant
    let jws: String

    init<Content>(_ verified: Verified<Content>, _ payload: (Content) -> Payload) {
        self.payload = payload(verified.payload)
        bytes = verified.payloadBytes
        date = verified.signedDate
        jws = verified.jws
    }
}
