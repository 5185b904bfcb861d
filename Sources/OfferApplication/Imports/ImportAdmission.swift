import AppStoreData
import OfferModel
import OfferStore

/// What a line must be to be taken, and what becomes of it in the staging table.
struct ImportAdmission: Sendable {
    /// The app and environment that history is imported for.
    let scope: Scope
    /// The wall clock.
    let now: Instant
    /// The catalog in force: it knows the group of a product where a line does not.
    let catalog: Catalog

    /// The payloads of a line.
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
        guard !payloads.isEmpty else { throw ImportRefusal(.noPurchase, "the line tells of no purchase") }
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
            throw ImportRefusal(.invalidValue, "the app transaction has no `appTransactionId`, so it names nobody")
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

    /// As long as a signed payload may be.
    private static let longestPayload = 65_536
}
