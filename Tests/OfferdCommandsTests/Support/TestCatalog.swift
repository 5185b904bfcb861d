import AsyncHTTPClient
import OfferModel

/// One offer, once per customer, for those whose subscription has lapsed.
enum TestCatalog {
    static let yaml = yaml(["comeback"])

    /// Such offers under these ids.
    static func yaml(_ offers: [String]) -> String {
        """
        bundleId: com.example.pro
        subscriptionGroups:
          - id: "21500001"
            products:
              - { productId: com.example.pro.monthly, level: 1, period: P1M, price: { amount: "9.99", currency: USD } }
        offers:

        """ + offers.map(offer).joined()
    }

    private static func offer(_ id: String) -> String {
        """
          - id: \(id)
            type: promotional
            offerIdentifier: \(id)50
            products: [com.example.pro.monthly]
            paymentMode: payAsYouGo
            period: P1M
            periodCount: 3
            price: { amount: "4.99", currency: USD }
            status: active
            eligibility: { fact: subscription.state, in: [expired] }
            limits: [ { count: 1, per: customer } ]
            formats: [v1, v2]

        """
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
