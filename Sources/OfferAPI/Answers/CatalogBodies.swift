public import OfferModel

/// `PUT /v1/catalog`: what changed.
public struct CatalogAppliedBody: Sendable, Hashable, Codable {
    /// The revision now in force.
    public var revision: Int
    /// What differs from the revision before.
    public var changes: [CatalogChangeBody]

    /// An answer by its parts.
    public init(revision: Int, changes: [CatalogChangeBody]) {
        self.revision = revision
        self.changes = changes
    }
}

/// One difference between two revisions.
public struct CatalogChangeBody: Sendable, Hashable, Codable {
    /// The offer; absent for a change of the products.
    public var offerId: OfferId?
    /// `added`, `changed` or `removed`.
    public var change: String
    /// The field, such as `price.amount`; absent if the whole offer came or went.
    public var path: String?
    /// The old value as text.
    public var from: String?
    /// The new value as text.
    public var to: String?

    /// A difference by its parts.
    public init(offerId: OfferId?, change: String, path: String? = nil, from: String? = nil, to: String? = nil) {
        self.offerId = offerId
        self.change = change
        self.path = path
        self.from = from
        self.to = to
    }
}

/// A page of a list.
public struct PageBody<Item: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
    /// The items.
    public var items: [Item]
    /// The cursor of the next page; absent on the last.
    public var next: String?

    /// A page by its parts.
    public init(items: [Item], next: String?) {
        self.items = items
        self.next = next
    }
}

/// `/healthz` and `/readyz`.
public struct HealthBody: Sendable, Hashable, Codable {
    /// `ok`.
    public var status: String

    /// An answer by its word.
    public init(status: String) {
        self.status = status
    }
}
