package import OfferModel

/// `PUT /v1/catalog`: what changed.
package struct CatalogApplied: WireObject {
    package var revision = 0
    /// What differs from the revision before.
    package var changes: [CatalogChange] = []

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("changes", &changes)
        members.required("revision", &revision)
    }
}

/// One difference between two revisions.
package struct CatalogChange: WireObject {
    package enum Kind: String, Sendable, CaseIterable {
        case added, changed, removed
    }

    /// The offer; absent for a change of the products.
    package var offerId: OfferId?
    package var change = ""
    /// The field, such as `price.amount`; absent if the whole offer came or went.
    package var path: String?
    package var from: String?
    package var to: String?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("change", &change)
        members.optional("from", &from)
        members.optional("offerId", &offerId)
        members.optional("path", &path)
        members.optional("to", &to)
    }

    package init(_ kind: Kind, of offerId: OfferId?, path: String? = nil, from: String? = nil, to: String? = nil) {
        self.offerId = offerId
        change = kind.rawValue
        self.path = path
        self.from = from
        self.to = to
    }
}

package struct PageBody<Item: WireValue>: WireObject {
    package var items: [Item] = []
    /// The cursor of the next page; absent on the last.
    package var next: String?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("items", &items)
        members.optional("next", &next)
    }

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
package struct HealthBody: WireObject {
    package var status = "ok"

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("status", &status)
    }
}

/// `GET /v1/catalog/revisions`: who applied what, and when; one revision also has its document.
package struct AppliedRevision: WireObject {
    /// The revision, from 1.
    package var revision = 0
    /// The id of the API key that applied it.
    package var actor = ""
    /// That key's label, if it has one.
    package var actorLabel: String?
    /// The name of the person who used the key at the console, if they gave one.
    package var person: String?
    /// What its author said about it.
    package var message: String?
    package var createdAt: Instant = .blank
    /// `yaml` or `json`; absent in lists.
    package var format: String?
    /// The document as it was applied; absent in lists.
    package var document: String?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("actor", &actor)
        members.optional("actorLabel", &actorLabel)
        members.required("createdAt", &createdAt)
        members.optional("document", &document)
        members.optional("format", &format)
        members.optional("message", &message)
        members.optional("person", &person)
        members.required("revision", &revision)
    }
}

/// `POST /v1/offers/{id}/pause`, `/resume`, and the same for every offer: whether offers are paused now.
package struct PauseState: WireObject {
    /// The offer; absent where every offer was meant.
    package var offerId: OfferId?
    /// Whether it, or every offer, is paused now.
    package var paused = false
    package var changed = false
    /// Whether every offer is paused: a single one that was resumed is still not issued then.
    package var everyOfferPaused = false
    /// Why it is paused, and until when; absent if no reason was given, and if it has to be lifted.
    package var reason: String?
    package var until: Instant?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("changed", &changed)
        members.required("everyOfferPaused", &everyOfferPaused)
        members.optional("offerId", &offerId)
        members.required("paused", &paused)
        members.optional("reason", &reason)
        members.optional("until", &until)
    }
}

/// `POST /v1/offers/{id}/pause` and `POST /v1/offers/pause`; without a body it lasts until it is lifted.
package struct PauseRequestBody: WireRequest {
    /// For people: at most 500 characters.
    package var reason: String?
    /// The instant from which the pause is over.
    package var until: Instant?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("reason", &reason)
        members.optional("until", &until)
    }
}
