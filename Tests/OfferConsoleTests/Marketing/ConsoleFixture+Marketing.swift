import Foundation
import OfferModel
import OfferTestSupport
import Testing

extension ConsoleFixture {
    /// `comeback`, of which 500 may be used, for 280 dollars, and a draft.
    static let campaign =
        TestCatalog.head
        + TestCatalog.comeback().replacing(
            "{ count: 1, per: customer }",
            with: #"{ count: 1, per: customer }, { count: 500 }, { spend: "280.00", currency: USD }"#)
        + TestCatalog.either.replacing("status: active", with: "status: draft")

    /// Applies a catalog by the API.
    func apply(_ yaml: String, on revision: Int = 0) async throws {
        _ = try await ask(
            "PUT", "/v1/catalog", token: try await token(.marketing), body: yaml,
            more: [("Content-Type", "application/yaml"), ("If-Match", "\"\(revision)\"")])
    }

    /// The offers as the API lists them.
    func offers() async throws -> [[String: Any]] {
        let page = try await ask("GET", "/v1/offers?limit=200", token: try await token(.marketing))
        return try #require(page["items"] as? [[String: Any]])
    }

    /// Sends a form of a page with its token.
    func send(
        _ action: String, from page: String, _ session: String, _ fields: [(String, String)] = []
    ) async throws -> Page {
        let token = try #require(try await get(page, session).formToken)
        return try await post(action, [("formToken", token)] + fields, session)
    }
}

extension Page {
    /// Whether a table has a row that begins with these cells.
    func hasRow(_ cells: [String]) -> Bool { text.contains("<tr>" + cells.map { "<td>\($0)</td>" }.joined()) }
}
