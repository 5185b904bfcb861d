/// The kinds of payload Apple signs, told apart by the members only one of them has.
enum PayloadKind: CaseIterable, Sendable {
    case transaction
    case renewalInfo
    case appTransaction
    case notification

    var noun: String {
        switch self {
        case .transaction: "a transaction"
        case .renewalInfo: "renewal info"
        case .appTransaction: "an app transaction"
        case .notification: "a notification"
        }
    }

    /// The member that says when the payload was signed.
    var dateMember: MemberName {
        switch self {
        case .appTransaction: "receiptCreationDate"
        case .transaction, .renewalInfo, .notification: "signedDate"
        }
    }

    /// Where this kind belongs, for somebody who sent it in another place.
    var destination: String {
        switch self {
        case .transaction: "send it in `signedTransactions`"
        case .renewalInfo: "send it in `signedRenewalInfo`"
        case .appTransaction: "send it as `signedAppTransaction`"
        case .notification: "the App Store sends it to the notifications URL"
        }
    }

    /// Members that only this kind has; one of them is always there.
    private var marks: [MemberName] {
        switch self {
        case .transaction: ["transactionId"]
        case .renewalInfo: ["autoRenewStatus", "autoRenewProductId"]
        case .appTransaction: ["receiptCreationDate", "receiptType"]
        case .notification: ["notificationUUID"]
        }
    }

    /// The other kind that an object is, judged by its members; `nil` where it bears a mark of this kind, so that a
    /// member that Apple adds to one kind never costs a customer the payload.
    func mistaken(for hasMember: (MemberName) -> Bool) -> PayloadKind? {
        guard !marks.contains(where: hasMember) else { return nil }
        return Self.allCases.first { $0.marks.contains(where: hasMember) }
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
