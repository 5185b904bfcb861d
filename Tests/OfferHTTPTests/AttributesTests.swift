import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("Attributes of customers, over HTTP")
struct AttributesTests {
    private static let path = "/v1/customers/attributes"

    @Test("attributes of every type are kept for somebody unknown under their alias, shown to support, and replaced")
    func setting() async throws {
        try await ServiceFixture.run { service in
            let (client, support) = (try await service.token(.client), try await service.token(.support))
            let all = #"""
                {"isStudent":false,"joined":{"at":1790000000123},"plan":"équipe","seats":12,"share":0.1,\#
                "spent":{"amount":"19.99","currency":"CHF"}}
                """#
            let set = try await service.ask(
                "PUT", Self.path, token: client, body: #"{"customer":{"customerId":"u1"},"attributes":\#(all)}"#)
            #expect(set.status == 200, "\(set.text)")
            #expect(
                set.text == #"{"attributes":\#(all),"customers":[\#(Self.person)]}"#)
            #expect(try await shown(service, support) == all)
            let again = try await service.ask(
                "PUT", Self.path, token: client,
                body: #"{"customer":{"customerId":"u1"},"attributes":{"seats":13}}"#)
            #expect(again.status == 200)
            #expect(try await shown(service, support) == #"{"seats":13}"#)
            let none = try await service.ask(
                "PUT", Self.path, token: client, body: #"{"customer":{"customerId":"u1"},"attributes":{}}"#)
            #expect(none.status == 200)
            #expect(try await shown(service, support) == "{}")
        }
    }

    private static let person = #"{"appAccountTokens":[],"customerIds":["u1"],"originalTransactionIds":[]}"#

    private func shown(_ service: ServiceFixture, _ token: String) async throws -> String {
        let story = try await service.ask("GET", "/v1/customers?customerId=u1", token: token)
        let attributes = try #require(story.json["attributes"])
        let data = try JSONSerialization.data(
            withJSONObject: attributes, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self)
    }

    @Test("an identifier of Apple's that no signed data has brought names nobody, and nothing is kept")
    func unproven() async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.ask(
                "PUT", Self.path, token: try await service.token(.client),
                body: #"{"customer":{"originalTransactionId":"7"},"attributes":{"a":1}}"#)
            #expect(answer.status == 400)
            #expect(answer.code == "invalid-request")
            #expect(answer.text.contains("send the customer's signed data first"))
            let story = try await service.ask(
                "GET", "/v1/customers?originalTransactionId=7", token: try await service.token(.support))
            #expect(story.status == 404)
        }
    }

    @Test("attributes belong to one app and environment")
    func scopes() async throws {
        try await ServiceFixture.run { service in
            let body = #"{"customer":{"customerId":"u1"},"attributes":{"a":1}}"#
            #expect(
                try await service.ask("PUT", Self.path, token: try await service.token(.client), body: body).status
                    == 200)
            for scope in [ServiceFixture.otherApp, ServiceFixture.otherEnvironment] {
                let support = try await service.token(.support, scope: scope)
                let story = try await service.ask("GET", "/v1/customers?customerId=u1", token: support)
                #expect(story.status == 404)
            }
        }
    }

    @Test(
        "what cannot be an attribute is refused by its place",
        arguments: [
            (#"{"customer":{"customerId":"u"}}"#, "/attributes"),
            (#"{"attributes":{}}"#, "/customer"),
            (#"{"customer":{},"attributes":{}}"#, "/customer"),
            (#"{"customer":{"customerId":"u"},"attributes":null}"#, "/attributes"),
            (#"{"customer":{"customerId":"u"},"attributes":[]}"#, "/attributes"),
            (#"{"customer":{"customerId":"u"},"attributes":{"a":null}}"#, "/attributes/a"),
            (#"{"customer":{"customerId":"u"},"attributes":{"a":[1]}}"#, "/attributes/a"),
            (#"{"customer":{"customerId":"u"},"attributes":{"a":""}}"#, "/attributes/a"),
            (
                #"{"customer":{"customerId":"u"},"attributes":{"a":{"amount":"1.2345","currency":"USD"}}}"#,
                "/attributes/a"
            ),
            (#"{"customer":{"customerId":"u"},"attributes":{"é":1}}"#, "/attributes/é"),
            (#"{"customer":{"customerId":"u"},"attributes":{"":1}}"#, "/attributes/"),
            (#"{"customer":{"customerId":"u"},"attributes":{"a~b/c":1}}"#, "/attributes/a~0b~1c"),
            (
                #"{"customer":{"customerId":"u"},"attributes":{"a":"\#(String(repeating: "x", count: 256))"}}"#,
                "/attributes/a"
            ),
            (#"{"customer":{"customerId":"u"},"attributes":{},"extra":1}"#, "/extra"),
            (
                #"{"customer":{"customerId":"u"},"attributes":{\#((0..<65).map { #""a\#($0)":1"# }.joined(separator: ","))}}"#,
                "/attributes"
            ),
        ])
    func refused(body: String, pointer: String) async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.ask("PUT", Self.path, token: try await service.token(.client), body: body)
            #expect(answer.status == 400, "\(answer.text)")
            #expect(answer.code == "invalid-request")
            let errors = try #require(answer.json["errors"] as? [[String: Any]])
            #expect(errors.map { $0["pointer"] as? String } == [pointer], "\(answer.text)")
        }
    }

    @Test("somebody whose aliases name two Apple accounts gets no attributes")
    func ambiguous() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let client = try await service.token(.client)
            for id in ["100", "200"] {
                let answer = try await service.ask(
                    "POST", "/v1/issued-offers", token: client,
                    body: service.issueBody("comeback", try service.lapsedCustomer(id)))
                #expect(answer.status == 201)
            }
            let answer = try await service.ask(
                "PUT", Self.path, token: client,
                body: #"{"customer":{"customerId":"somebody"},"attributes":{"a":1}}"#)
            #expect(answer.status == 409)
            #expect(answer.code == "ambiguous-customer")
        }
    }

    @Test("a void stands on the customer's timeline with its own date")
    func voidOnTimeline() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let support = try await service.token(.support)
            let issued = try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.client),
                body: service.issueBody("comeback", try service.lapsedCustomer("100")))
            let id = try #require(issued.json["issuedOfferId"] as? String)
            service.clock.advance(milliseconds: 60_000)
            let voided = try await service.ask(
                "POST", "/v1/issued-offers/\(id)/void", token: support, body: #"{"reason":"asked for"}"#)
            #expect(voided.status == 200)
            let story = try await service.ask("GET", "/v1/customers?originalTransactionId=100", token: support)
            let timeline = try #require(story.json["timeline"] as? [[String: Any]])
            let entry = try #require(timeline.first { $0["kind"] as? String == "voided" })
            #expect(entry["at"] as? Int64 == ServiceFixture.start.milliseconds + 60_000)
            #expect(entry["message"] as? String == "the offer `comeback` was voided: asked for (issued offer \(id))")
        }
    }
}
