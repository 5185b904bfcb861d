import Foundation
import OfferModel
import Testing

@Suite("Every call of openapi.yaml over a real socket")
struct AnsweredCallTests {
    @Test("a call is answered with a status and a media type that are described", arguments: AnsweredCall.all)
    func answered(_ call: AnsweredCall) async throws {
        let answers = try OpenAPIDocument().answers(call.call)
        let described = try #require(answers[String(call.status)]?["content"] as? [String: Any]).keys.sorted()
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let issued = try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.client),
                body: service.issueBody("comeback", try service.lapsedCustomer("100")))
            let id = try #require(issued.json["issuedOfferId"] as? String, "\(issued.text)")
            let answer = try await call.ask(service, issuedOfferId: id)
            #expect(answer.status == call.status, "\(answer.text)")
            #expect(described.contains(answer.headers["content-type"] ?? ""))
            #expect(LowercaseUUID(answer.headers["x-request-id"] ?? "") != nil)
            #expect(!answer.body.isEmpty)
        }
    }

    @Test("every call is answered with every success that openapi.yaml describes")
    func everyCall() throws {
        let document = try OpenAPIDocument()
        let described = try document.calls.flatMap { call in
            try document.answers(call.name).keys.filter { $0.hasPrefix("2") }.map { "\(call.name) \($0)" }
        }
        #expect(Set(AnsweredCall.all.map(\.testDescription)) == Set(described))
    }
}
