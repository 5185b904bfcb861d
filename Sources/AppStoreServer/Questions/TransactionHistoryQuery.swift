public import OfferModel

/// Which transactions Get Transaction History gives; without any member all of them, oldest change first.
public struct TransactionHistoryQuery: Sendable, Hashable {
    /// Apple's names of the kinds of product in this query.
    public enum ProductType: String, Sendable, Hashable, CaseIterable {
        /// Auto-renewable subscriptions.
        case autoRenewable = "AUTO_RENEWABLE"
        /// Subscriptions that end by themselves.
        case nonRenewable = "NON_RENEWABLE"
        /// Consumables.
        case consumable = "CONSUMABLE"
        /// Non-consumables.
        case nonConsumable = "NON_CONSUMABLE"
    }

    /// The order, by the date of the last change.
    public enum Sort: String, Sendable, Hashable, CaseIterable {
        /// Oldest first.
        case ascending = "ASCENDING"
        /// Newest first.
        case descending = "DESCENDING"
    }

    /// Bought at this moment or later.
    public var startDate: Instant?
    /// Bought before this moment.
    public var endDate: Instant?
    /// Of these products.
    public var productIds: [ProductId] = []
    /// Of these kinds.
    public var productTypes: [ProductType] = []
    /// Of these subscription groups.
    public var subscriptionGroupIdentifiers: [SubscriptionGroupId] = []
    /// Bought, or shared by the family.
    public var inAppOwnershipType: InAppOwnershipType?
    /// Only revoked ones, or only those that are not.
    public var revoked: Bool?
    /// The order.
    public var sort: Sort?

    /// All transactions.
    public init() {}

    /// Only what bears on offers.
    public static var subscriptions: TransactionHistoryQuery {
        var query = TransactionHistoryQuery()
        query.productTypes = [.autoRenewable]
        return query
    }

    var items: [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        if let startDate { items.append(("startDate", String(startDate.milliseconds))) }
        if let endDate { items.append(("endDate", String(endDate.milliseconds))) }
        items += productIds.map { ("productId", $0.rawValue) }
        items += productTypes.map { ("productType", $0.rawValue) }
        if let sort { items.append(("sort", sort.rawValue)) }
        items += subscriptionGroupIdentifiers.map { ("subscriptionGroupIdentifier", $0.rawValue) }
        if let inAppOwnershipType { items.append(("inAppOwnershipType", inAppOwnershipType.rawValue)) }
        if let revoked { items.append(("revoked", String(revoked))) }
        return items
    }
}
