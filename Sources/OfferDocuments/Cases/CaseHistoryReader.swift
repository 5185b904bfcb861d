import OfferModel

/// Reads the history of a case: Apple's decoded payloads, with defaults for members that are left out.
///
/// Each row may name its `provenance`, else the history's holds, else `serverAPI`.
struct CaseHistoryReader {
    private static let keys = [
        "provenance", "transactions", "renewalInfos", "appTransactions", "complete", "completeAsOf",
    ]

    let source: CaseOffers

    func read(_ field: Field) -> CaseHistory? {
        guard let mapping = field.mapping(Self.keys) else { return nil }
        let provenance = mapping.optional("provenance")?.choice(Provenance.self) ?? .serverAPI
        let isComplete = mapping.optional("complete")?.boolean() ?? mapping.has("complete")
        if !isComplete {
            mapping.key("completeAsOf")?.refuse(
                .notAllowed, "`completeAsOf` goes with `complete: true` only",
                hint: "add `complete: true`, or leave it out")
        }
        var history = CaseHistory()
        history.transactions = rows(mapping, "transactions") { transaction($0, provenance) }
        history.renewalInfos = rows(mapping, "renewalInfos") { renewalInfo($0, provenance) }
        history.appTransactions = rows(mapping, "appTransactions") { appTransaction($0, provenance) }
        history.isComplete = isComplete
        history.completeAsOf = mapping.optional("completeAsOf")?.caseInstant()
        return history
    }

    private func rows<Payload>(
        _ mapping: Mapping, _ key: String, _ read: (Field) -> CaseRow<Payload>?
    ) -> [CaseRow<Payload>] {
        (mapping.optional(key)?.list(allowsEmpty: true) ?? []).compactMap(read)
    }

    private var bundleId: BundleId { source.catalog?.bundleId ?? CaseWorld.bundleId }

    private static let transactionKeys = [
        "transactionId", "originalTransactionId", "webOrderLineItemId", "productId", "subscriptionGroupIdentifier",
        "purchaseDate", "originalPurchaseDate", "expiresDate", "signedDate", "type", "inAppOwnershipType",
        "revocationDate", "revocationReason", "revocationType", "revocationPercentage", "isUpgraded", "offerType",
        "offerIdentifier", "offerDiscountType", "offerPeriod", "price", "currency", "storefront", "transactionReason",
        "additionalTransactionReason", "billingPlanType", "commitmentInfo", "provenance",
    ]

    /// Unless it says otherwise, one period of the first product at its regular price, bought by the customer and signed
    /// a second after the purchase.
    private func transaction(_ field: Field, _ usual: Provenance) -> CaseRow<Transaction>? {
        guard let mapping = field.mapping(Self.transactionKeys) else { return nil }
        var transaction = Transaction()
        transaction.bundleId = bundleId
        transaction.productId = source.usualProduct.productId
        transaction.inAppOwnershipType = .purchased
        mapping.read(
            &transaction, required: ["transactionId", "purchaseDate"],
            commitment: ["billingPeriodNumber", "totalBillingPeriods", "commitmentExpiresDate"])
        let regular = source.product(transaction.productId) ?? source.usualProduct
        if !mapping.has("originalTransactionId") { transaction.originalTransactionId = transaction.transactionId }
        if !mapping.has("signedDate") {
            transaction.signedDate = transaction.purchaseDate.adding(milliseconds: 1_000)
        }
        transaction.type = transaction.type ?? source.type(of: transaction.productId)
        if transaction.type == .autoRenewableSubscription {
            if !mapping.has("subscriptionGroupIdentifier") {
                transaction.subscriptionGroupIdentifier = source.group(of: transaction.productId)
            }
            transaction.expiresDate = transaction.expiresDate ?? transaction.purchaseDate.adding(regular.period)
        }
        if !mapping.has("price") { transaction.price = regular.price.milliunits }
        transaction.currency = transaction.currency ?? regular.price.currency
        // Unless it says otherwise, a revocation is a refund.
        if transaction.revocationDate != nil, !["revocationType", "revocationReason"].contains(where: mapping.has) {
            transaction.revocationReason = 0
        }
        return CaseRow(transaction, provenance: mapping.provenance(usual))
    }

    private static let renewalInfoKeys = [
        "originalTransactionId", "productId", "autoRenewProductId", "autoRenewStatus", "expirationIntent",
        "isInBillingRetryPeriod", "gracePeriodExpiresDate", "offerType", "offerIdentifier", "offerDiscountType",
        "priceIncreaseStatus", "renewalPrice", "currency",
        "renewalDate", "recentSubscriptionStartDate", "eligibleWinBackOfferIds", "commitmentInfo", "notifiedStatus",
        "signedDate", "provenance",
    ]

    /// Nothing in it is made up but the product.
    private func renewalInfo(_ field: Field, _ usual: Provenance) -> CaseRow<RenewalInfo>? {
        guard let mapping = field.mapping(Self.renewalInfoKeys) else { return nil }
        var info = RenewalInfo()
        info.productId = source.usualProduct.productId
        mapping.read(
            &info, required: ["originalTransactionId", "signedDate"],
            commitment: ["commitmentAutoRenewStatus", "commitmentRenewalDate"])
        info.autoRenewProductId = info.autoRenewProductId ?? info.productId
        info.notifiedStatus = mapping.optional("notifiedStatus")?.wholeNumber(0...100)
            .flatMap { SubscriptionStatus(rawValue: $0) }
        return CaseRow(info, provenance: mapping.provenance(usual))
    }

    private func appTransaction(_ field: Field, _ usual: Provenance) -> CaseRow<AppTransaction>? {
        let keys = ["appTransactionId", "receiptCreationDate", "originalPurchaseDate", "provenance"]
        guard let mapping = field.mapping(keys) else { return nil }
        var app = AppTransaction()
        app.bundleId = bundleId
        mapping.read(&app, required: ["appTransactionId", "receiptCreationDate"], commitment: [])
        return CaseRow(app, provenance: mapping.provenance(usual))
    }
}

extension Instant {
    /// A placeholder for a date that could not be read: the reader goes on and finds the other errors of the file.
    static let unread = Instant(milliseconds: 0)
}

extension Mapping {
    fileprivate func provenance(_ usual: Provenance) -> Provenance {
        optional("provenance")?.choice(Provenance.self) ?? usual
    }

    /// Reads an object of Apple's; a member that is left out stays as it is.
    ///
    /// - Parameter commitment: the members that its `commitmentInfo` may have.
    fileprivate func read(_ object: inout some PayloadObject, required: Set<String>, commitment: [String]) {
        var fields = CaseFields(mapping: self, requiredNames: required, commitment: commitment)
        object.visit(&fields)
    }
}

/// The members of an object of Apple's in a case. Apple's lists of words and numbers are open: any value may be one.
private struct CaseFields: PayloadFields {
    typealias Failure = Never

    let mapping: Mapping
    let requiredNames: Set<String>
    let commitment: [String]

    private static let forms: [String: TextForm] = [
        "transactionId": .transactionId, "originalTransactionId": .transactionId, "appTransactionId": .transactionId,
        "productId": .productId, "autoRenewProductId": .productId, "subscriptionGroupIdentifier": .groupId,
        "storefront": .storefront,
    ]

    private static let ranges: [String: ClosedRange<Int>] = [
        "price": 0...1_000_000_000, "renewalPrice": 0...1_000_000_000, "revocationPercentage": 0...100_000,
        "billingPeriodNumber": 1...100, "totalBillingPeriods": 1...100,
    ]

    /// What may also be written as null, which says that there must be none.
    private static let nullable: Set<String> = ["price", "revocationReason", "subscriptionGroupIdentifier"]

    func required<Value: PayloadValue>(_ name: String, _ value: inout Value) { value = read(name) ?? value }

    func optional<Value: PayloadValue>(_ name: String, _ value: inout Value?) {
        let isNull = Self.nullable.contains(name) && mapping.isNull(name)
        value = isNull ? nil : read(name) ?? value
    }

    func signingDate(_ name: String, _ value: inout Instant) { required(name, &value) }

    func object<Object: PayloadObject>(_ name: String, _ value: inout Object?) {
        guard let inner = mapping.optional(name)?.mapping(commitment) else { return }
        var object = Object()
        inner.read(&object, required: [], commitment: [])
        value = object
    }

    private func read<Value: PayloadValue>(_ name: String) -> Value? {
        guard let field = requiredNames.contains(name) ? mapping.required(name) : mapping.optional(name) else {
            return nil
        }
        let scalar: PayloadScalar? =
            switch Value.form {
            case .text, .identifier, .label:
                (name == "currency" ? field.currency() : Self.forms[name].map(field.text) ?? field.text())
                    .map { .text($0) }
            case .number: field.wholeNumber(Self.ranges[name] ?? 0...100).map { .number(Int64($0)) }
            case .date: field.caseInstant().map { .number($0.milliseconds) }
            case .flag: field.boolean().map { .number($0 ? 1 : 0) }
            case .texts: field.list(allowsEmpty: true).map { .texts($0.compactMap { $0.text() }) }
            }
        return scalar.flatMap { Value(scalar: $0) }
    }
}
