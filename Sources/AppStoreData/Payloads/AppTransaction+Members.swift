import OfferModel
import OfferSigning

// Apple: App Store Server API, JWSAppTransactionDecodedPayload.
extension AppTransaction: PayloadReadable {
    static var kind: PayloadKind { .appTransaction }

    init(members: PayloadMembers) throws(SignedDataRefusal) {
        self.init(
            bundleId: try members.requiredIdentifier("bundleId"),
            receiptCreationDate: try members.signingDate())
        appAppleId = try members.integer("appAppleId")
        appTransactionId = try members.identifier("appTransactionId")
        originalPurchaseDate = try members.date("originalPurchaseDate")
        originalApplicationVersion = try members.string("originalApplicationVersion")
        applicationVersion = try members.string("applicationVersion")
        receiptType = try members.string("receiptType")
    }
}
