public import OfferModel
public import OfferSigning

// One list of members for each of Apple's payloads: what is read, what an unsigned payload is stored as and what the
// local App Store signs all follow from it. A member at fault is reported by the order of the list.

/// An object of members, with a list of them.
protocol PayloadObject {
    /// An object to read into.
    static var blank: Self { get }

    /// Goes through the members: a reader sets them, a writer takes them.
    mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure)
}

/// A payload that Apple signs.
protocol ApplePayload: PayloadObject {
    static var kind: PayloadKind { get }
}

// Apple: App Store Server API, JWSTransactionDecodedPayload.
extension Transaction: ApplePayload {
    static var kind: PayloadKind { .transaction }

    static var blank: Transaction {
        Transaction(
            transactionId: "", originalTransactionId: "", bundleId: "", productId: "", purchaseDate: .distantPast,
            signedDate: .distantPast)
    }

    mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.required("transactionId", &transactionId, .identifier)
        try fields.required("originalTransactionId", &originalTransactionId, .identifier)
        try fields.required("bundleId", &bundleId, .identifier)
        try fields.required("productId", &productId, .identifier)
        try fields.required("purchaseDate", &purchaseDate, .date)
        try fields.signingDate(Self.kind, &signedDate)
        try fields.optional("webOrderLineItemId", &webOrderLineItemId, .text)
        try fields.optional("subscriptionGroupIdentifier", &subscriptionGroupIdentifier, .identifier)
        try fields.optional("originalPurchaseDate", &originalPurchaseDate, .date)
        try fields.optional("expiresDate", &expiresDate, .date)
        try fields.optional("revocationDate", &revocationDate, .date)
        try fields.optional("revocationReason", &revocationReason, .integer)
        try fields.optional("revocationType", &revocationType, .open)
        try fields.optional("revocationPercentage", &revocationPercentage, .integer)
        try fields.optional("type", &type, .open)
        try fields.optional("quantity", &quantity, .integer)
        try fields.object("multiSeatInfo", &multiSeatInfo)
        try fields.optional("inAppOwnershipType", &inAppOwnershipType, .open)
        try fields.optional("appAccountToken", &appAccountToken, .uuid)
        try fields.optional("appTransactionId", &appTransactionId, .identifier)
        try fields.flag("isUpgraded", &isUpgraded)
        try fields.optional("offerType", &offerType, .open)
        try fields.optional("offerIdentifier", &offerIdentifier, .identifier)
        try fields.optional("offerDiscountType", &offerDiscountType, .open)
        try fields.optional("offerPeriod", &offerPeriod, .text)
        try fields.optional("price", &price, .integer)
        try fields.optional("currency", &currency, .text)
        try fields.optional("transactionReason", &transactionReason, .open)
        try fields.optional("additionalTransactionReason", &additionalTransactionReason, .open)
        try fields.optional("storefront", &storefront, .text)
        try fields.optional("storefrontId", &storefrontId, .text)
        try fields.optional("billingPlanType", &billingPlanType, .open)
        try fields.object("commitmentInfo", &commitmentInfo)
        try fields.optional("environment", &environment, .text)
    }
}

extension TransactionMultiSeatInfo: PayloadObject {
    static var blank: TransactionMultiSeatInfo { TransactionMultiSeatInfo() }

    mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.optional("revokedSeatQuantity", &revokedSeatQuantity, .integer)
    }
}

extension TransactionCommitmentInfo: PayloadObject {
    static var blank: TransactionCommitmentInfo { TransactionCommitmentInfo() }

    mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.optional("billingPeriodNumber", &billingPeriodNumber, .integer)
        try fields.optional("totalBillingPeriods", &totalBillingPeriods, .integer)
        try fields.optional("commitmentExpiresDate", &commitmentExpiresDate, .date)
        try fields.optional("commitmentPrice", &commitmentPrice, .integer)
    }
}

// Apple: App Store Server API, JWSRenewalInfoDecodedPayload.
extension RenewalInfo: ApplePayload {
    static var kind: PayloadKind { .renewalInfo }

    static var blank: RenewalInfo {
        RenewalInfo(originalTransactionId: "", productId: "", signedDate: .distantPast)
    }

    mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.required("originalTransactionId", &originalTransactionId, .identifier)
        try fields.required("productId", &productId, .identifier)
        try fields.signingDate(Self.kind, &signedDate)
        try fields.optional("autoRenewProductId", &autoRenewProductId, .identifier)
        try fields.optional("autoRenewStatus", &autoRenewStatus, .open)
        try fields.optional("expirationIntent", &expirationIntent, .open)
        try fields.optional("isInBillingRetryPeriod", &isInBillingRetryPeriod, .flag)
        try fields.optional("gracePeriodExpiresDate", &gracePeriodExpiresDate, .date)
        try fields.optional("priceIncreaseStatus", &priceIncreaseStatus, .open)
        try fields.optional("offerType", &offerType, .open)
        try fields.optional("offerIdentifier", &offerIdentifier, .identifier)
        try fields.optional("offerDiscountType", &offerDiscountType, .open)
        try fields.optional("offerPeriod", &offerPeriod, .text)
        try fields.optional("renewalDate", &renewalDate, .date)
        try fields.optional("renewalPrice", &renewalPrice, .integer)
        try fields.optional("renewalQuantity", &renewalQuantity, .integer)
        try fields.optional("currency", &currency, .text)
        try fields.optional("recentSubscriptionStartDate", &recentSubscriptionStartDate, .date)
        try fields.optional("eligibleWinBackOfferIds", &eligibleWinBackOfferIds, .identifiers)
        try fields.optional("appAccountToken", &appAccountToken, .uuid)
        try fields.optional("appTransactionId", &appTransactionId, .identifier)
        try fields.optional("renewalBillingPlanType", &renewalBillingPlanType, .open)
        try fields.object("commitmentInfo", &commitmentInfo)
        try fields.optional("environment", &environment, .text)
    }
}

extension RenewalCommitmentInfo: PayloadObject {
    static var blank: RenewalCommitmentInfo { RenewalCommitmentInfo() }

    mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.optional("commitmentAutoRenewProductId", &commitmentAutoRenewProductId, .identifier)
        try fields.optional("commitmentAutoRenewStatus", &commitmentAutoRenewStatus, .open)
        try fields.optional("commitmentRenewalBillingPlanType", &commitmentRenewalBillingPlanType, .open)
        try fields.optional("commitmentRenewalDate", &commitmentRenewalDate, .date)
        try fields.optional("commitmentRenewalPrice", &commitmentRenewalPrice, .integer)
    }
}

// Apple: App Store Server API, JWSAppTransactionDecodedPayload.
extension AppTransaction: ApplePayload {
    static var kind: PayloadKind { .appTransaction }
    static var blank: AppTransaction { AppTransaction(bundleId: "", receiptCreationDate: .distantPast) }

    mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.required("bundleId", &bundleId, .identifier)
        try fields.signingDate(Self.kind, &receiptCreationDate)
        try fields.optional("appAppleId", &appAppleId, .integer)
        try fields.optional("appTransactionId", &appTransactionId, .identifier)
        try fields.optional("originalPurchaseDate", &originalPurchaseDate, .date)
        try fields.optional("originalApplicationVersion", &originalApplicationVersion, .text)
        try fields.optional("applicationVersion", &applicationVersion, .text)
        try fields.optional("receiptType", &receiptType, .text)
    }
}

// Apple: App Store Server Notifications V2, responseBodyV2DecodedPayload.
extension AppStoreNotification: ApplePayload {
    static var kind: PayloadKind { .notification }

    static var blank: AppStoreNotification {
        AppStoreNotification(
            notificationType: NotificationType(rawValue: ""), notificationUUID: "", signedDate: .distantPast)
    }

    mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.required("notificationType", &notificationType, .label)
        try fields.required("notificationUUID", &notificationUUID, .label)
        try fields.signingDate(Self.kind, &signedDate)
        try fields.optional("subtype", &subtype, .label)
        try fields.optional("version", &version, .text)
        try fields.object("data", &data)
        try fields.object("summary", &summary)
        try fields.object("externalPurchaseToken", &externalPurchaseToken)
        try fields.object("appData", &appData)
    }
}

extension NotificationData: PayloadObject {
    static var blank: NotificationData { NotificationData() }

    mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.optional("appAppleId", &appAppleId, .integer)
        try fields.optional("bundleId", &bundleId, .identifier)
        try fields.optional("bundleVersion", &bundleVersion, .text)
        try fields.optional("environment", &environment, .text)
        try fields.optional("signedTransactionInfo", &signedTransactionInfo, .text)
        try fields.optional("signedRenewalInfo", &signedRenewalInfo, .text)
        try fields.optional("status", &status, .open)
        try fields.optional("consumptionRequestReason", &consumptionRequestReason, .open)
    }
}

extension NotificationSummary: PayloadObject {
    static var blank: NotificationSummary { NotificationSummary() }

    mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.optional("requestIdentifier", &requestIdentifier, .text)
        try fields.optional("environment", &environment, .text)
        try fields.optional("appAppleId", &appAppleId, .integer)
        try fields.optional("bundleId", &bundleId, .identifier)
        try fields.optional("productId", &productId, .identifier)
        try fields.optional("storefrontCountryCodes", &storefrontCountryCodes, .texts)
        try fields.optional("failedCount", &failedCount, .integer)
        try fields.optional("succeededCount", &succeededCount, .integer)
    }
}

extension ExternalPurchaseToken: PayloadObject {
    static var blank: ExternalPurchaseToken { ExternalPurchaseToken() }

    mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.optional("externalPurchaseId", &externalPurchaseId, .text)
        try fields.optional("tokenCreationDate", &tokenCreationDate, .date)
        try fields.optional("appAppleId", &appAppleId, .integer)
        try fields.optional("bundleId", &bundleId, .identifier)
    }
}

extension NotificationAppData: PayloadObject {
    static var blank: NotificationAppData { NotificationAppData() }

    mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.optional("appAppleId", &appAppleId, .integer)
        try fields.optional("bundleId", &bundleId, .identifier)
        try fields.optional("environment", &environment, .text)
        try fields.optional("signedAppTransactionInfo", &signedAppTransactionInfo, .text)
    }
}

// Each payload as JSON.

extension Transaction {
    /// Reads Apple's `JWSTransactionDecodedPayload` as JSON; a signature is not its concern.
    ///
    /// - Throws: ``SignedDataRefusal`` with `malformedPayload`, naming the member, or `missingSignedDate`.
    public init(payload bytes: [UInt8]) throws(SignedDataRefusal) {
        self = try PayloadJSON.read(Self.self, from: bytes)
    }

    /// Compact JSON with sorted members in Apple's spelling, which ``init(payload:)`` reads back to the same value.
    public var payloadText: [UInt8] { PayloadWriter.text(of: self) }
}

extension RenewalInfo {
    /// Reads Apple's `JWSRenewalInfoDecodedPayload` as JSON, like ``Transaction/init(payload:)``.
    public init(payload bytes: [UInt8]) throws(SignedDataRefusal) {
        self = try PayloadJSON.read(Self.self, from: bytes)
    }

    /// Compact JSON with sorted members in Apple's spelling, which ``init(payload:)`` reads back to the same value if
    /// it has an `autoRenewStatus` or an `autoRenewProductId`, by which renewal info is told from other payloads.
    public var payloadText: [UInt8] { PayloadWriter.text(of: self) }
}

extension AppTransaction {
    /// Reads Apple's decoded app transaction as JSON, like ``Transaction/init(payload:)``.
    public init(payload bytes: [UInt8]) throws(SignedDataRefusal) {
        self = try PayloadJSON.read(Self.self, from: bytes)
    }

    /// Compact JSON with sorted members in Apple's spelling, which ``init(payload:)`` reads back to the same value.
    public var payloadText: [UInt8] { PayloadWriter.text(of: self) }
}

extension AppStoreNotification {
    /// Reads Apple's `responseBodyV2DecodedPayload` as JSON, like ``Transaction/init(payload:)``.
    public init(payload bytes: [UInt8]) throws(SignedDataRefusal) {
        self = try PayloadJSON.read(Self.self, from: bytes)
    }

    /// Compact JSON with sorted members in Apple's spelling.
    public var payloadText: [UInt8] { PayloadWriter.text(of: self) }
}
