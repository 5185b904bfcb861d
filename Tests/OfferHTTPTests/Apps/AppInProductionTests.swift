import OfferModel
import Testing

/// Purchases of the test environments are free, so they must prove nothing in Production.
@Suite("A publishable key of Production")
struct AppInProductionTests {
    @Test("attack: data of Sandbox, LocalTesting or Xcode gets nothing, though its signature is trusted (invariant 6)")
    func testEnvironments() async throws {
        try await AppWorld.run { world in
            let service = world.service
            let production = ServiceFixture.production
            try await service.applyCatalog(scope: production)
            let key = try await service.token(.app, scope: production)
            let sandbox = world.sandbox
            let renamed = try AppWorld.device(
                service, "200", token: nil, scope: Scope(bundleId: production.bundleId, environment: .xcode))
            for proof in [sandbox.proof, world.mallory.proof, renamed.proof] {
                for (path, members) in [
                    ("/v1/issued-offers", #""offerId":"comeback",\#(proof)"#), ("/v1/decisions", proof),
                    ("/v1/transactions", proof), ("/v1/customers/status", proof),
                ] {
                    let answer = try await world.ask(path, members, token: key)
                    #expect(answer.status == 422 && answer.code == "signed-data-refused", "\(answer.text)")
                    #expect(answer.text.contains("wrongEnvironment"), "\(answer.text)")
                }
            }
            #expect(try service.rows("SELECT COUNT(*) FROM issued_offer") == [["0"]])
            // The same purchases, made in Production, get the offer.
            let own = try AppWorld.device(service, "200", token: nil, scope: production)
            let issued = try await world.ask("/v1/issued-offers", #""offerId":"comeback",\#(own.proof)"#, token: key)
            #expect(issued.status == 201, "\(issued.text)")
        }
    }
}
