// Apple adds values over time. Each type here keeps the raw value it was given, so an unknown one is stored, shown and
// never fatal; the static members are the values known today (facts: App Store Server API pages).

public struct TransactionType: RawRepresentable, Hashable, Sendable, Codable, PayloadValue {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The only type that our offers apply to.
    public static let autoRenewableSubscription = Self(rawValue: "Auto-Renewable Subscription")
    public static let nonConsumable = Self(rawValue: "Non-Consumable")
    public static let consumable = Self(rawValue: "Consumable")
    public static let nonRenewingSubscription = Self(rawValue: "Non-Renewing Subscription")
}

public struct InAppOwnershipType: RawRepresentable, Hashable, Sendable, Codable, PayloadValue {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let purchased = Self(rawValue: "PURCHASED")
    /// Received through Family Sharing: access, not ownership.
    public static let familyShared = Self(rawValue: "FAMILY_SHARED")
    /// A seat that an organization or a group gave: access, not ownership.
    public static let assigned = Self(rawValue: "ASSIGNED")
}

extension InAppOwnershipType? {
    /// Whether the customer bought what has it; `nil` for a value Apple added later. Absent data counts as bought.
    public var isOwned: Bool? {
        switch self {
        case nil, .purchased: true
        case .familyShared, .assigned: false
        default: nil
        }
    }
}

/// Apple's `offerType` of a transaction or of the next renewal.
public struct TransactionOfferType: RawRepresentable, Hashable, Sendable, Codable, PayloadValue {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let introductory = Self(rawValue: 1)
    public static let promotional = Self(rawValue: 2)
    public static let offerCode = Self(rawValue: 3)
    public static let winBack = Self(rawValue: 4)
    /// An offer that the App Store shows to customers who are about to cancel, as configured in App Store Connect.
    public static let retention = Self(rawValue: 5)
}

public struct OfferDiscountType: RawRepresentable, Hashable, Sendable, Codable, PayloadValue {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let freeTrial = Self(rawValue: "FREE_TRIAL")
    public static let payAsYouGo = Self(rawValue: "PAY_AS_YOU_GO")
    public static let payUpFront = Self(rawValue: "PAY_UP_FRONT")
}

public struct TransactionReason: RawRepresentable, Hashable, Sendable, Codable, PayloadValue {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let purchase = Self(rawValue: "PURCHASE")
    public static let renewal = Self(rawValue: "RENEWAL")
}

public struct AdditionalTransactionReason: RawRepresentable, Hashable, Sendable, Codable, PayloadValue {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Seats were added in the period: of each transaction of that period, the first included.
    public static let seatAddition = Self(rawValue: "SEAT_ADDITION")
}

public struct RevocationType: RawRepresentable, Hashable, Sendable, Codable, PayloadValue {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let refundFull = Self(rawValue: "REFUND_FULL")
    public static let refundProrated = Self(rawValue: "REFUND_PRORATED")
    public static let familyRevoke = Self(rawValue: "FAMILY_REVOKE")
    /// The seat in an organisation that gave access was taken away.
    public static let assignmentRevoke = Self(rawValue: "ASSIGNMENT_REVOKE")
}

public struct ExpirationIntent: RawRepresentable, Hashable, Sendable, Codable, PayloadValue {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let customerCancelled = Self(rawValue: 1)
    public static let billingError = Self(rawValue: 2)
    public static let priceIncreaseNotConsented = Self(rawValue: 3)
    public static let productNotAvailable = Self(rawValue: 4)
    public static let other = Self(rawValue: 5)
}

public struct AutoRenewStatus: RawRepresentable, Hashable, Sendable, Codable, PayloadValue {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let off = Self(rawValue: 0)
    public static let on = Self(rawValue: 1)
}

public struct PriceIncreaseStatus: RawRepresentable, Hashable, Sendable, Codable, PayloadValue {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let notResponded = Self(rawValue: 0)
    /// Consented, or notified where no consent is needed.
    public static let consentedOrNotified = Self(rawValue: 1)
}

public struct BillingPlanType: RawRepresentable, Hashable, Sendable, Codable, PayloadValue {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let billedUpfront = Self(rawValue: "BILLED_UPFRONT")
    /// Billed each month of a 12-month commitment.
    public static let monthly = Self(rawValue: "MONTHLY")
}

/// A value of Apple's that facts and scenarios call by a name.
public protocol NamedAppStoreValue: Hashable {
    static var names: KeyValuePairs<String, Self> { get }
}

extension NamedAppStoreValue {
    /// `nil` for a value Apple added later.
    public var name: String? { Self.names.first { $0.value == self }?.key }

    /// `nil` for another word.
    public init?(named name: String) {
        guard let known = Self.names.first(where: { $0.key == name }) else { return nil }
        self = known.value
    }
}

extension ExpirationIntent: NamedAppStoreValue {
    public static var names: KeyValuePairs<String, Self> {
        [
            "customerCancelled": .customerCancelled, "billingError": .billingError,
            "priceIncreaseNotConsented": .priceIncreaseNotConsented, "productNotAvailable": .productNotAvailable,
            "other": .other,
        ]
    }
}

extension TransactionOfferType: NamedAppStoreValue {
    public static var names: KeyValuePairs<String, Self> {
        [
            "introductory": .introductory, "promotional": .promotional, "offerCode": .offerCode, "winBack": .winBack,
            "retention": .retention,
        ]
    }
}

extension OfferDiscountType: NamedAppStoreValue {
    /// Those that a subscription can have.
    public static var names: KeyValuePairs<String, Self> {
        ["freeTrial": .freeTrial, "payAsYouGo": .payAsYouGo, "payUpFront": .payUpFront]
    }
}

extension PriceIncreaseStatus: NamedAppStoreValue {
    public static var names: KeyValuePairs<String, Self> {
        ["notResponded": .notResponded, "consentedOrNotified": .consentedOrNotified]
    }
}

extension BillingPlanType: NamedAppStoreValue {
    public static var names: KeyValuePairs<String, Self> { ["billedUpfront": .billedUpfront, "monthly": .monthly] }
}

/// Where data comes from and where offers are redeemed; environments never see each other's data.
public enum AppStoreEnvironment: String, Sendable, Hashable, CaseIterable, Codable {
    case production = "Production"
    case sandbox = "Sandbox"
    /// A local App Store made by `offerd dev root`: never trusted for Production.
    case localTesting = "LocalTesting"
    /// StoreKit testing in Xcode, which signs with one certificate: only a configured one is trusted.
    case xcode = "Xcode"

    /// Whether purchases are made by testers, whose history can be cleared and who can be forgotten.
    public var isOfTesters: Bool { self == .sandbox || self == .localTesting }
}

/// One app in one environment: the boundary that customers, offers and keys never cross.
public struct Scope: Sendable, Hashable, CustomStringConvertible {
    public let bundleId: BundleId
    public let environment: AppStoreEnvironment

    public init(bundleId: BundleId, environment: AppStoreEnvironment) {
        self.bundleId = bundleId
        self.environment = environment
    }

    public var description: String { "\(bundleId) in \(environment.rawValue)" }
}

/// How a piece of history, or a statement about it, reached us.
public enum Provenance: String, Sendable, Hashable, CaseIterable, Codable {
    case notification
    /// Signed data sent by the app's backend for its client.
    case client
    case serverAPI
    /// The backend's statement, such as `historyComplete` or a signal.
    case caller
    /// A legacy verifyReceipt answer.
    case receipt
    /// Imported or stated by an authorised operator.
    case `operator`

    /// Whether it is backed by a signature that leads to Apple's root. Proven data outranks the rest whatever its date
    /// (docs/design.md#history-and-state).
    public var isProven: Bool {
        switch self {
        case .notification, .client, .serverAPI: true
        case .caller, .receipt, .operator: false
        }
    }
}

/// The result of ingesting one payload.
public enum IngestOutcome: String, Sendable, Hashable, CaseIterable, Codable {
    case added
    /// A newer view of something known.
    case updated
    case unchanged
    /// Not believed.
    case refused
    /// Believed, and of no use: it says nothing that could be kept.
    case ignored
}
