/// The kinds of payload Apple signs, told apart by the members only one of them has.
enum PayloadKind: CaseIterable, Sendable {
    case transaction
    case renewalInfo
    case appTransaction
    case notification
    case realtimeRequest

    var noun: String {
        switch self {
        case .transaction: "a transaction"
        case .renewalInfo: "renewal info"
        case .appTransaction: "an app transaction"
        case .notification: "a notification"
        case .realtimeRequest: "a realtime retention request"
        }
    }

    /// The member that says when the payload was signed.
    var dateMember: MemberName {
        switch self {
        case .appTransaction: "receiptCreationDate"
        case .transaction, .renewalInfo, .notification, .realtimeRequest: "signedDate"
        }
    }

    /// Apple's payloads are about 1 KiB, and a notification holds two signed ones of about 6 KiB; whatever is far longer
    /// is none of them.
    var maximumPayloadBytes: Int {
        switch self {
        case .notification: 196_608
        case .transaction, .renewalInfo, .appTransaction, .realtimeRequest: 65_536
        }
    }

    /// The payload in Base64 with as much again for certificates, whatever the kind; a notification's whole body may
    /// have 256 KiB (docs/design.md#http).
    var maximumJWSBytes: Int {
        switch self {
        case .notification: 262_144
        case .transaction, .renewalInfo, .appTransaction, .realtimeRequest: 131_072
        }
    }

    /// Where this kind belongs, for somebody who sent it in another place.
    var destination: String {
        switch self {
        case .transaction: "send it in `signedTransactions`"
        case .renewalInfo: "send it in `signedRenewalInfo`"
        case .appTransaction: "send it as `signedAppTransaction`"
        case .notification: "the App Store sends it to the notifications URL"
        case .realtimeRequest: "the App Store sends it to the retention messaging URL"
        }
    }

    /// Members that only this kind has; one of them is always there.
    var marks: [MemberName] {
        switch self {
        case .transaction: ["transactionId"]
        case .renewalInfo: ["autoRenewStatus", "autoRenewProductId"]
        case .appTransaction: ["receiptCreationDate", "receiptType"]
        case .notification: ["notificationUUID"]
        case .realtimeRequest: ["requestIdentifier"]
        }
    }

    /// The kind that an object is, judged by its members; `nil` if it bears no mark. This kind comes first, so that a
    /// member that Apple adds to one kind never costs a customer the payload.
    func found(in hasMember: (MemberName) -> Bool) -> PayloadKind? {
        ([self] + Self.allCases).first { $0.marks.contains(where: hasMember) }
    }
}

/// The name of a member of a JSON object.
struct MemberName: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringLiteral value: String) { stringValue = value }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
