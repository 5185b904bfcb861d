import OfferModel
import OfferSigning

// Apple: App Store Server Notifications V2, responseBodyV2DecodedPayload.
extension AppStoreNotification: PayloadReadable {
    static var kind: PayloadKind { .notification }

    init(members: PayloadMembers) throws(SignedDataRefusal) {
        self.init(
            notificationType: NotificationType(rawValue: try members.requiredLabel("notificationType")),
            notificationUUID: Self.lowered(try members.requiredLabel("notificationUUID")),
            signedDate: try members.signingDate())
        subtype = try members.label("subtype").map { NotificationSubtype(rawValue: $0) }
        version = try members.string("version")
        data = try members.object("data").map { members throws(SignedDataRefusal) in try NotificationData(members) }
        summary = try members.object("summary").map { members throws(SignedDataRefusal) in
            try NotificationSummary(members)
        }
        externalPurchaseToken = try members.object("externalPurchaseToken").map { members throws(SignedDataRefusal) in
            try ExternalPurchaseToken(members)
        }
        appData = try members.object("appData").map { members throws(SignedDataRefusal) in
            try NotificationAppData(members)
        }
    }

    /// One spelling for each UUID, so that a repeat is known for one; what is no UUID stays as Apple wrote it.
    private static func lowered(_ text: String) -> String {
        LowercaseUUID(text)?.description ?? text
    }
}

extension NotificationData {
    init(_ members: PayloadMembers) throws(SignedDataRefusal) {
        self.init()
        appAppleId = try members.integer("appAppleId")
        bundleId = try members.identifier("bundleId")
        bundleVersion = try members.string("bundleVersion")
        environment = try members.string("environment")
        signedTransactionInfo = try members.string("signedTransactionInfo")
        signedRenewalInfo = try members.string("signedRenewalInfo")
        status = try members.open("status")
        consumptionRequestReason = try members.open("consumptionRequestReason")
    }
}

extension NotificationSummary {
    init(_ members: PayloadMembers) throws(SignedDataRefusal) {
        self.init()
        requestIdentifier = try members.string("requestIdentifier")
        environment = try members.string("environment")
        appAppleId = try members.integer("appAppleId")
        bundleId = try members.identifier("bundleId")
        productId = try members.identifier("productId")
        storefrontCountryCodes = try members.strings("storefrontCountryCodes")
        failedCount = try members.integer("failedCount")
        succeededCount = try members.integer("succeededCount")
    }
}

extension ExternalPurchaseToken {
    init(_ members: PayloadMembers) throws(SignedDataRefusal) {
        self.init()
        externalPurchaseId = try members.string("externalPurchaseId")
        tokenCreationDate = try members.date("tokenCreationDate")
        appAppleId = try members.integer("appAppleId")
        bundleId = try members.identifier("bundleId")
    }
}

extension NotificationAppData {
    init(_ members: PayloadMembers) throws(SignedDataRefusal) {
        self.init()
        appAppleId = try members.integer("appAppleId")
        bundleId = try members.identifier("bundleId")
        environment = try members.string("environment")
        signedAppTransactionInfo = try members.string("signedAppTransactionInfo")
    }
}
