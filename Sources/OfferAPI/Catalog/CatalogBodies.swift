package import OfferModel

/// `PUT /v1/catalog`: what changed.
package struct CatalogApplied: Sendable, Hashable, Codable {
    package var revision: Int
    /// What differs from the revision before.
    package var changes: [CatalogChange]

    package init(revision: Int, changes: [CatalogChange]) {
        self.revision = revision
        self.changes = changes
    }
}

/// One difference between two revisions.
package struct CatalogChange: Sendable, Hashable, Codable {
    /// The words of ``change``.
    package enum Kind: String, Sendable, CaseIterable {
        case added, changed, removed
    }

    /// The offer; absent for a change of the products.
    package var offerId: OfferId?
    package var change: String
    /// The field, such as `price.amount`; absent if the whole offer came or went.
    package var path: String?
    package var from: String?
    package var to: String?

    package init(offerId: OfferId?, change: String, path: String? = nil, from: String? = nil, to: String? = nil) {
        self.offerId = offerId
        self.change = change
        self.path = path
        self.from = from
        self.to = to
    }

    package init(_ kind: Kind, of offerId: OfferId?, path: String? = nil, from: String? = nil, to: String? = nil) {
        self.init(offerId: offerId, change: kind.rawValue, path: path, from: from, to: to)
    }
}

package struct PageBody<Item: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
    package var items: [Item]
    /// The cursor of the next page; absent on the last.
    package var next: String?

    package init(items: [Item], next: String?) {
        self.items = items
        self.next = next
    }
}

/// The cursors of lists that are ordered by a number, each with a prefix of its own: no list takes another's.
package enum ListCursor: String {
    case issuedOffers = "i"
    case export = "e"
    case revisions = "r"

    package func text(_ place: Int64) -> String { rawValue + String(place) }

    /// The place that a cursor names; `nil` if it is none of this list.
    package func place(_ text: String) -> Int64? {
        guard text.hasPrefix(rawValue), let place = Int64(text.dropFirst(rawValue.count)), place > 0 else { return nil }
        return place
    }
}

/// `/healthz` and `/readyz`.
package struct HealthBody: Sendable, Hashable, Codable {
    /// `ok`.
    package var status: String

    package init(status: String) {
        self.status = status
    }
}

/// `GET /v1/catalog/revisions`: who applied what, and when; one revision also has its document.
package struct AppliedRevision: Sendable, Hashable, Codable {
    /// The revision, from 1.
    package var revision: Int
    /// The id of the API key that applied it.
    package var actor: String
    /// What its author said about it.
    package var message: String?
    package var createdAt: Instant
    /// `yaml` or `json`; absent in lists.
    package var format: String?
    /// The document as it was applied; absent in lists.
    package var document: String?

    package init(revision: Int, actor: String, message: String?, createdAt: Instant) {
        self.revision = revision
        self.actor = actor
        self.message = message
        self.createdAt = createdAt
    }
}

/// `POST /v1/offers/{id}/pause`, `/resume`, and the same for every offer: whether offers are paused now.
package struct PauseState: Sendable, Hashable, Codable {
    /// The offer; absent where every offer was meant.
    package var offerId: OfferId?
    /// Whether it, or every offer, is paused now.
    package var paused: Bool
    package var changed: Bool
    /// Whether every offer is paused: a single one that was resumed is still not issued then.
    package var everyOfferPaused: Bool

    package init(offerId: OfferId?, paused: Bool, changed: Bool, everyOfferPaused: Bool) {
        self.offerId = offerId
        self.paused = paused
        self.changed = changed
        self.everyOfferPaused = everyOfferPaused
    }
}
