import Hummingbird
import OfferAPI
import OfferApplication
import OfferDocuments
import OfferHTTP
import OfferModel

/// The form for an offer, beside the text of the catalog.
extension ConsoleSite {
    /// `POST /console/catalog/add`: the text with the offer at its end, or with the change of one that it has, and its
    /// plan; nothing is applied. Or the form, filled with an offer of the text.
    @Sendable func add(_ form: inout QueryParameters, _ visit: Visit) async throws -> Response {
        let (isFilled, chosen) = (form.flag("fill") ?? false, form.field("chosen"))
        let draft = Self.draft(&form)
        guard !isFilled else { return try await fill(draft, with: chosen, visit) }
        return try await refusing(draft, visit) {
            let text = try await useCases.shares.catalogs.run { try Self.text(of: draft) }
            return try await plan(Draft(text: text, revision: draft.revision, message: draft.message), visit)
        }
    }

    /// The page with the form filled with an offer of the text, or empty for a new one.
    func fill(_ draft: Draft, with id: String?, _ visit: Visit) async throws -> Response {
        try await refusing(draft, visit) {
            var filled = Draft(text: draft.text, revision: draft.revision, message: draft.message)
            if let id {
                let shown = try await useCases.shares.catalogs.run { try Self.shown(OfferId(id), in: draft.text) }
                (filled.entry, filled.filled) = (shown.typed, shown.mark)
            }
            return try await editor(filled, [:], visit)
        }
    }

    private static func shown(_ id: OfferId, in text: String) throws -> OfferEntry.Shown {
        do {
            let offers = try CatalogReader.read(text).value.offers
            guard let offer = offers.first(where: { $0.id == id }) else { throw RequestError.unknownOffer(id) }
            return OfferEntry.Shown(offer)
        } catch let error as InvalidDocument {
            throw RequestError.invalidCatalog(error.errors)
        }
    }

    private static func written(_ draft: Draft) throws -> String {
        let entry = OfferEntry(draft.entry)
        guard let filled = draft.filled else {
            guard let text = try entry.added(to: draft.text) else {
                throw RequestFault(
                    path: "offers", .invalidValue, "the list is not written with a dash before each offer",
                    hint: "add the offer to the text by hand, or write the list with dashes")
            }
            return text
        }
        guard let text = try entry.changed(in: draft.text, filled: filled) else {
            throw RequestFault(
                path: "offers", .invalidValue, "the offer is not written so that the form can change this",
                hint: "change it in the text: there may be a comment in the lines of a value, or brackets around them")
        }
        return text
    }

    private static func text(of draft: Draft) throws -> String {
        do {
            let text = try written(draft)
            guard text.utf8.count <= editorBytes else {
                throw RequestFault(
                    path: "text", .invalidLength,
                    "with the offer the catalog has \(text.utf8.count) bytes, and this page takes \(editorBytes)",
                    hint: "apply it with `offerctl catalog apply`")
            }
            return text
        } catch let error as InvalidDocument {
            throw RequestError.invalidCatalog(error.errors)
        } catch let error as OfferEntry.Refusal {
            throw RequestFault(
                errors: error.issues.map { issue in
                    ProblemErrorBody(
                        path: issue.path, code: issue.code.rawValue, detail: issue.detail, hint: issue.hint)
                })
        }
    }

    /// The form as a template takes it: with what was typed, or as it begins; `nil` where no product can be chosen.
    static func members(of draft: Draft, in catalog: Catalog?) -> [String: Any]? {
        let products = catalog?.subscriptionGroups.flatMap(\.products).map(\.productId.rawValue) ?? []
        guard !products.isEmpty else { return nil }
        let begun: [OfferEntry.Field: String] = [
            .type: OfferType.promotional.rawValue, .paymentMode: PaymentMode.payAsYouGo.rawValue, .period: "P1M",
            .periodCount: "1", .perCustomer: "1", .status: OfferStatus.draft.rawValue,
            .products: products.count == 1 ? products[0] : "",
        ]
        let isChange = draft.filled != nil
        let values = !isChange && draft.entry.values.allSatisfy(\.isEmpty) ? begun : draft.entry
        let lists: [OfferEntry.Field: [String]] = [
            .type: OfferType.allCases.map(\.rawValue), .products: products,
            .paymentMode: PaymentMode.allCases.map(\.rawValue), .period: OfferEntry.periods.map(\.description),
            .status: OfferStatus.allCases.filter { isChange || $0 != .archived }.map(\.rawValue),
        ]
        var members: [String: Any] = ["conditionLength": ConditionText.longest]
        for field in OfferEntry.Field.allCases {
            let value = values[field] ?? ""
            let chosen = value.split(separator: "\n").map(String.init)
            members[field.rawValue] = lists[field].map { choices($0, chosen) } ?? value
        }
        let offers = catalog?.offers ?? []
        members["hasOffers"] = !offers.isEmpty
        members["offers"] = choices(offers.map(\.id.rawValue), isChange ? [values[.id] ?? ""] : [])
        members["isChange"] = isChange
        members["filled"] = draft.filled
        if isChange, let offer = offers.first(where: { $0.id.rawValue == values[.id] }) {
            for field in OfferEntry.Shown(offer).kept { members["\(field.rawValue)IsKept"] = true }
        }
        return members
    }

    private static func choices(_ names: [String], _ chosen: [String]) -> [[String: Any]] {
        names.map { ["name": $0, "isChosen": chosen.contains($0)] }
    }
}
