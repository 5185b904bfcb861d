import AsyncHTTPClient
import OfferModel
import OfferTestSupport

extension TestCatalog {
    /// One offer for those whose subscription has lapsed.
    static let yaml = yaml(["comeback"])

    /// Such offers under these ids.
    static func yaml(_ offers: [String]) -> String {
        app("com.example.pro.") + "offers:\n"
            + offers.map { comeback($0, of: "com.example.pro.monthly", to: "expired", formats: "v1, v2") }.joined()
    }

    static func apply(
        _ installation: Installation, _ server: RunningServer, _ yaml: String = yaml, over revision: Int = 0,
        client: HTTPClient
    ) async throws {
        let answer = try await server.ask(
            "PUT", "/v1/catalog", token: try installation.token(.marketing), body: yaml,
            headers: ["Content-Type": "application/yaml", "If-Match": "\"\(revision)\""], client: client)
        guard answer.status == 200 else {
            throw Installation.Failed(what: String(decoding: answer.body, as: UTF8.self))
        }
    }
}
