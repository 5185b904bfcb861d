import Foundation
import OfferAPI
import OfferModel
import Testing

@Suite("/readyz over a real socket")
struct ReadinessTests {
    @Test("while another program holds the database nothing is recorded or released, and afterwards all goes on")
    func locked() async throws {
        try await ServiceFixture.run(patience: .milliseconds(50)) { service in
            try await service.applyCatalog()
            let token = try await service.token(.client)
            let body = try service.issueBody("comeback", service.lapsedCustomer("100"))
            let key = [("Idempotency-Key", "once")]
            #expect(try await service.ask("GET", "/readyz").status == 200)
            let refused = try await service.whileLocked {
                let refused = try await service.ask("POST", "/v1/issued-offers", token: token, body: body, headers: key)
                let red = try await service.ask("GET", "/readyz")
                #expect(red.status == 503 && red.code == "not-ready", "\(red.text)")
                #expect(red.text.contains("held by another program"))
                #expect(try await service.ask("GET", "/healthz").status == 200)
                return refused
            }
            #expect(refused.status == 503 && refused.code == "busy" && refused.json["signatures"] == nil)
            #expect(try service.rows("SELECT nonce FROM signature").isEmpty)
            #expect(try await service.ask("GET", "/readyz").status == 200)
            #expect(
                try await service.ask("POST", "/v1/issued-offers", token: token, body: body, headers: key).status == 201
            )
        }
    }
}
