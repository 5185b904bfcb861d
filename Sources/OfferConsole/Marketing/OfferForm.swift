import Hummingbird
import OfferAPI
import OfferApplication
import OfferDocuments
import OfferHTTP
import OfferModel

/// The form for a new offer, beside the text of the catalog.
extension ConsoleSite {
    /// `POST /console/catalog/add`: the text with the offer at its end, and its plan; nothing is applied.
    @Sendable func add(_ form: inout QueryParameters, _ visit: Visit) async throws -> Response {
        let draft = try Self.draft(&form)
        return try await refusing(draft, visit) {
            let text = try await useCases.shares.catalogs.run { try Self.text(of: draft) }
            return try await plan(Draft(text: text, revision: draft.revision, message: draft.message), visit)
        }
    }

    private static func text(of draft: Draft) throws -> String {
        do {
            guard let text = try OfferEntry(draft.entry).added(to: draft.text) else {
                throw RequestFault(
                    path: "offers", .invalidValue, "the list is not written with a dash before each offer",
                    hint: "add the offer to the text by hand, or write the list with dashes")
            }
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
    static func members(of typed: [OfferEntry.Field: String], in catalog: Catalog?) -> [String: Any]? {
        let products = catalog?.subscriptionGroups.flatMap(\.products).map(\.productId.rawValue) ?? []
        guard !products.isEmpty else { return nil }
        let begun: [OfferEntry.Field: String] = [
            .type: OfferType.promotional.rawValue, .paymentMode: PaymentMode.payAsYouGo.rawValue, .period: "P1M",
            .periodCount: "1", .perCustomer: "1", .status: OfferStatus.draft.rawValue,
            .products: products.count == 1 ? products[0] : "",
        ]
        let values = typed.values.allSatisfy(\.isEmpty) ? begun : typed
        let lists: [OfferEntry.Field: [String]] = [
            .type: OfferType.allCases.map(\.rawValue), .products: products,
            .paymentMode: PaymentMode.allCases.map(\.rawValue), .period: OfferEntry.periods.map(\.description),
            .status: OfferStatus.allCases.filter { $0 != .archived }.map(\.rawValue),
        ]
        var members: [String: Any] = [:]
        for field in OfferEntry.Field.allCases {
            let value = values[field] ?? ""
            let chosen = value.split(separator: "\n").map(String.init)
            let choices = lists[field]?.map { ["name": $0, "isChosen": chosen.contains($0)] as [String: Any] }
            members[field.rawValue] = choices ?? value
        }
        return members
    }
}
