import AppStoreData
import OfferModel
import OfferStore

/// Checks a line and turns it into rows of the staging table.
struct ImportAdmission: Sendable {
    let scope: Scope
    let now: Instant
    /// The catalog in force: it knows the group of a product where a line does not.
    let catalog: Catalog

    func staged(_ line: ImportLine) -> Result<[StagedPayload], ImportRefusal> {
        do throws(ImportRefusal) {
            return .success(try payloads(of: try line.content.get(), line: line.number))
        } catch {
            return .failure(error)
        }
    }

    private func payloads(of history: ImportedHistory, line: Int64) throws(ImportRefusal) -> [StagedPayload] {
        try ImportedText.check(history.customerId?.rawValue, of: "customerId")
        var payloads: [StagedPayload] = []
        func add(_ kind: StagedPayload.Kind, key: String, _ text: [UInt8]) throws(ImportRefusal) {
            guard text.count <= Self.longestPayload else {
                throw ImportRefusal(.tooLong, "the purchase has \(text.count) bytes, more than \(Self.longestPayload)")
            }
            payloads.append(
                StagedPayload(
                    key: key, line: line, kind: kind, payload: text, appAccountToken: history.appAccountToken,
                    customerId: history.customerId))
        }
        for transaction in history.transactions {
            let admitted = try admitted(transaction)
            try add(.transaction, key: admitted.originalTransactionId.rawValue, admitted.payloadText)
        }
        for info in history.renewalInfos {
            let admitted = try admitted(info)
            try add(.renewalInfo, key: admitted.originalTransactionId.rawValue, admitted.payloadText)
        }
        if let transaction = history.appTransaction {
            let id = try admittedId(of: transaction)
            try add(.appTransaction, key: id.rawValue, transaction.payloadText)
        }
        guard !payloads.isEmpty else { throw ImportRefusal(.noPurchase, "the line has no purchase") }
        return payloads
    }

    private func admitted(_ transaction: Transaction) throws(ImportRefusal) -> Transaction {
        try check(bundleId: transaction.bundleId)
        try check(environment: transaction.environment)
        try ImportedText.check(transaction)
        let dates = ImportedDates(now: now)
        try dates.check(transaction)
        guard transaction.subscriptionGroupIdentifier == nil, isSubscription(transaction) else { return transaction }
        guard let group = catalog.product(transaction.productId)?.group.id else {
            throw ImportRefusal(
                .unknownProduct,
                "`subscriptionGroupIdentifier` is missing, and the catalog in force has no product "
                    + ImportRefusal.quoted(transaction.productId.rawValue))
        }
        var transaction = transaction
        transaction.subscriptionGroupIdentifier = group
        return transaction
    }

    private func admitted(_ info: RenewalInfo) throws(ImportRefusal) -> RenewalInfo {
        try check(environment: info.environment)
        try ImportedText.check(info)
        try ImportedDates(now: now).check(info)
        guard info.autoRenewStatus == nil, info.autoRenewProductId == nil else { return info }
        // One of the two marks renewal info as such; without the other the product goes on as it is.
        var info = info
        info.autoRenewProductId = info.productId
        return info
    }

    private func admittedId(of transaction: AppTransaction) throws(ImportRefusal) -> AppTransactionId {
        try check(bundleId: transaction.bundleId)
        try check(environment: transaction.receiptType)
        guard let id = transaction.appTransactionId else {
            throw ImportRefusal(.invalidValue, "the app transaction has no `appTransactionId`, so it names no customer")
        }
        try ImportedText.check(id.rawValue, of: "appTransactionId")
        try ImportedDates(now: now).check(transaction)
        return id
    }

    /// Old data may lack the type, but only subscriptions expire.
    private func isSubscription(_ transaction: Transaction) -> Bool {
        transaction.type.map { $0 == .autoRenewableSubscription } ?? (transaction.expiresDate != nil)
    }

    private func check(bundleId: BundleId) throws(ImportRefusal) {
        guard bundleId == scope.bundleId else {
            throw ImportRefusal(
                .wrongApp, "`bundleId` is \(ImportRefusal.quoted(bundleId.rawValue)) and not `\(scope.bundleId)`")
        }
    }

    /// Where a line names no environment, the command's holds.
    private func check(environment: String?) throws(ImportRefusal) {
        guard let environment, environment != scope.environment.rawValue else { return }
        throw ImportRefusal(
            .wrongEnvironment,
            "`environment` is \(ImportRefusal.quoted(environment)) and not `\(scope.environment.rawValue)`")
    }

    private static let longestPayload = 65_536
}

/// The dates that a purchase can have. Exports often have other units than Apple's milliseconds.
struct ImportedDates {
    let now: Instant

    func check(_ transaction: Transaction) throws(ImportRefusal) {
        // Apple charges for a renewal up to a day before it begins.
        try check(transaction.purchaseDate, "purchaseDate", latest: now.adding(milliseconds: 2 * Instant.Duration.day))
        try check(transaction.originalPurchaseDate, "originalPurchaseDate", latest: happened)
        try check(transaction.expiresDate, "expiresDate", latest: horizon)
        try check(transaction.revocationDate, "revocationDate", latest: happened)
        try check(transaction.signedDate, "signedDate", latest: happened)
    }

    func check(_ info: RenewalInfo) throws(ImportRefusal) {
        try check(info.renewalDate, "renewalDate", latest: horizon)
        try check(info.gracePeriodExpiresDate, "gracePeriodExpiresDate", latest: horizon)
        try check(info.recentSubscriptionStartDate, "recentSubscriptionStartDate", latest: horizon)
        try check(info.signedDate, "signedDate", latest: happened)
    }

    func check(_ transaction: AppTransaction) throws(ImportRefusal) {
        try check(transaction.originalPurchaseDate, "originalPurchaseDate", latest: happened)
        try check(transaction.receiptCreationDate, "receiptCreationDate", latest: happened)
    }

    /// A past event is not ahead of the clock, as far as two clocks agree.
    private var happened: Instant { now.adding(milliseconds: RequestClock.tolerance) }

    /// No subscription is bought for longer than ten years.
    private var horizon: Instant { now.adding(milliseconds: 3_660 * Instant.Duration.day) }

    /// The App Store opened on 10 July 2008.
    private static let earliest = Instant(milliseconds: 1_215_648_000_000)

    private func check(_ date: Instant?, _ name: String, latest: Instant) throws(ImportRefusal) {
        guard let date else { return }
        if date < Self.earliest {
            let looksLikeSeconds =
                date.milliseconds >= Self.earliest.seconds && date.milliseconds <= horizon.seconds
            throw ImportRefusal(
                .implausibleDate,
                "`\(name)` is `\(date.milliseconds)`, which is \(date), before the App Store"
                    + (looksLikeSeconds ? "; it looks like seconds and must be milliseconds" : ""))
        }
        guard date <= latest else {
            throw ImportRefusal(
                .implausibleDate, "`\(name)` is `\(date.milliseconds)`, which is \(date), too far ahead of the clock")
        }
    }
}

/// Texts that can be identifiers: not empty, without control characters, no longer than Apple's ever are.
enum ImportedText {
    static func check(_ transaction: Transaction) throws(ImportRefusal) {
        try check(transaction.transactionId.rawValue, of: "transactionId")
        try check(transaction.originalTransactionId.rawValue, of: "originalTransactionId")
        try check(transaction.productId.rawValue, of: "productId")
        try check(transaction.subscriptionGroupIdentifier?.rawValue, of: "subscriptionGroupIdentifier")
        try check(transaction.appTransactionId?.rawValue, of: "appTransactionId")
        try check(transaction.offerIdentifier?.rawValue, of: "offerIdentifier")
    }

    static func check(_ info: RenewalInfo) throws(ImportRefusal) {
        try check(info.originalTransactionId.rawValue, of: "originalTransactionId")
        try check(info.productId.rawValue, of: "productId")
        try check(info.autoRenewProductId?.rawValue, of: "autoRenewProductId")
        try check(info.appTransactionId?.rawValue, of: "appTransactionId")
        try check(info.offerIdentifier?.rawValue, of: "offerIdentifier")
    }

    static func check(_ text: String?, of name: String) throws(ImportRefusal) {
        guard let text else { return }
        guard !text.isEmpty else { throw ImportRefusal(.invalidValue, "`\(name)` is empty") }
        guard text.utf8.count <= longest else {
            throw ImportRefusal(.tooLong, "`\(name)` has \(text.utf8.count) bytes, more than \(longest)")
        }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw ImportRefusal(.invalidValue, "`\(name)` holds a control character")
        }
    }

    private static let longest = 512
}
