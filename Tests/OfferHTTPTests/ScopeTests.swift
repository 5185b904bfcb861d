import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("Apps and environments never mix")
struct ScopeTests {
    @Test("a key of another app or environment sees nothing and changes nothing (invariant 6)")
    func separated() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let body = service.issueBody("comeback", try service.lapsedCustomer("900"))
            let issued = try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.client), body: body)
            let id = try #require(issued.json["issuedOfferId"] as? String, "\(issued.text)")
            for scope in [ServiceFixture.otherApp, ServiceFixture.otherEnvironment] {
                let admin = try await service.token(.admin, scope: scope)
                let one = try await service.ask("GET", "/v1/issued-offers/\(id)", token: admin)
                #expect(one.code == "unknown-issued-offer")
                let list = try await service.ask("GET", "/v1/issued-offers", token: admin)
                #expect((list.json["items"] as? [Any])?.isEmpty == true)
                for name in ["customerId=somebody", "originalTransactionId=900", "appTransactionId=app-900"] {
                    let story = try await service.ask("GET", "/v1/customers?\(name)", token: admin)
                    #expect(story.code == "unknown-customer")
                }
                let catalog = try await service.ask("GET", "/v1/catalog", token: admin)
                #expect(catalog.headers["etag"] == "\"0\"")
                let decisions = try await service.ask(
                    "POST", "/v1/decisions", token: admin, body: #"{"customer":{"originalTransactionId":"900"}}"#)
                #expect((decisions.json["decisions"] as? [Any])?.isEmpty == true)
                let unknown = try await service.ask("POST", "/v1/issued-offers", token: admin, body: body)
                #expect(unknown.status == 422, "the data is another app's or environment's")
                let codes = Set(unknown.errors.compactMap { $0["code"] as? String })
                #expect(codes == [scope == ServiceFixture.otherApp ? "wrongBundleId" : "wrongEnvironment"])
            }
        }
    }

    @Test("a catalog of another app is refused")
    func otherCatalog() async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.ask(
                "PUT", "/v1/catalog", token: try await service.token(.marketing, scope: ServiceFixture.otherApp),
                body: TestCatalog.yaml, headers: [("Content-Type", "application/yaml"), ("If-Match", "\"0\"")])
            #expect(answer.status == 422)
            #expect(answer.errors.first?["path"] as? String == "bundleId")
        }
    }
}
