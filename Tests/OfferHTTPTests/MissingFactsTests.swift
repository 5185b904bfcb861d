import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("What an undetermined decision lacks, by name")
struct MissingFactsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let title: String
        let condition: String
        /// What the request states, as a member.
        var signals = ""
        /// What a finding names to a backend, and to an app.
        let client: [String]?
        let app: [String]?
        /// A part of the hint.
        let clientHint: String
        let appHint: String

        var testDescription: String { title }
    }

    private static let ofType = ", of the type that the offer's condition compares"

    static let cases = [
        Case(
            title: "a signal that an app may state", condition: "{ fact: signals.sessions, atLeast: 3 }",
            client: ["signals.sessions"], app: ["signals.sessions"],
            clientHint: "send `signals` with `sessions`" + ofType, appHint: "send `signals` with `sessions`" + ofType),
        Case(
            title: "a signal of another type", condition: "{ fact: signals.sessions, atLeast: 3 }",
            signals: #","signals":{"sessions":"many"}"#, client: ["signals.sessions"], app: ["signals.sessions"],
            clientHint: "send `signals` with `sessions`" + ofType, appHint: "send `signals` with `sessions`" + ofType),
        Case(
            title: "a signal that only a backend may state", condition: "{ fact: signals.churnRisk, atLeast: 3 }",
            client: ["signals.churnRisk"], app: nil, clientHint: "send `signals` with `churnRisk`" + ofType,
            appHint: "signals that the catalog's `appSignals` does not list are for a backend to send"),
        Case(
            title: "an attribute", condition: "{ fact: customer.attributes.seats, atLeast: 3 }",
            client: ["customer.attributes.seats"], app: nil,
            clientHint: "set the customer's attributes (`PUT /v1/customers/attributes`) with `seats`" + ofType,
            appHint: "the customer's attributes are for a backend to set"),
        Case(
            title: "several at the ends of a condition, each once",
            condition: """
                { any: [ { fact: signals.churnRisk, atLeast: 3 }, { not: { fact: signals.sessions, atMost: 3 } }, \
                { all: [ { fact: signals.sessions, atLeast: 9 }, { fact: customer.attributes.seats, is: 1 } ] } ] }
                """,
            client: ["customer.attributes.seats", "signals.churnRisk", "signals.sessions"], app: ["signals.sessions"],
            clientHint: "send `signals` with `churnRisk` and `sessions`" + ofType,
            appHint: "send `signals` with `sessions`" + ofType),
        Case(
            title: "what decides nothing any more is not named",
            condition: """
                { any: [ { fact: signals.sessions, atLeast: 3 }, \
                { all: [ { fact: signals.churnRisk, atLeast: 3 }, { fact: subscription.state, is: subscribed } ] } ] }
                """,
            client: ["signals.sessions"], app: ["signals.sessions"],
            clientHint: "send `signals` with `sessions`" + ofType, appHint: "send `signals` with `sessions`" + ofType),
        Case(
            title: "a device that is not stated is no signal",
            condition: "{ fact: request.appVersion, atLeast: \"2.0\" }",
            client: nil, app: nil, clientHint: "state the device", appHint: "state the device"),
    ]

    private static func catalog(_ condition: String) -> String {
        AppWorld.catalog + """
              - id: terms
                type: promotional
                offerIdentifier: terms50
                products: [monthly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                status: active
                eligibility: \(condition)
                limits: []
                formats: [v2]

            """
    }

    @Test("a dry-run and a refusal name it to the key that has to send it, and to no other", arguments: cases)
    func names(_ expected: Case) async throws {
        try await AppWorld.run { world in
            let applied = try await world.service.ask(
                "PUT", "/v1/catalog", token: try await world.service.token(.marketing),
                body: Self.catalog(expected.condition),
                headers: [("Content-Type", "application/yaml"), ("If-Match", "\"1\"")])
            try #require(applied.status == 200, "\(applied.text)")
            let client = try await world.service.token(.client)
            for (token, missing, hint) in [
                (client, expected.client, expected.clientHint), (world.app, expected.app, expected.appHint),
            ] {
                let members = world.anna.proof + expected.signals
                let decided = try await world.ask(
                    "/v1/decisions", #""offerIds":["terms"],\#(members)"#, token: token)
                let decision = (decided.json["decisions"] as? [[String: Any]])?.first
                #expect(decision?["outcome"] as? String == "undetermined", "\(decided.text)")
                #expect(Self.missing(decision) == missing, "\(decided.text)")
                let refused = try await world.ask(
                    "/v1/issued-offers", #""offerId":"terms",\#(members)"#, token: token)
                #expect(refused.code == "undetermined", "\(refused.text)")
                #expect(Self.missing(refused.json) == missing, "\(refused.text)")
                #expect((refused.json["hint"] as? String)?.contains(hint) == true, "\(refused.text)")
                guard token == world.app else { continue }
                for secret in ["churnRisk", "seats"] { #expect(!refused.text.contains(secret), "\(refused.text)") }
            }
        }
    }

    @Test("staff see it in the evidence, and what is named and sent decides the offer")
    func staffAndSent() async throws {
        try await AppWorld.run { world in
            let support = try await world.ask(
                "/v1/decisions", #""offerIds":["regular"],"customer":{"customerId":"anna"}"#,
                token: try await world.service.token(.support))
            let decision = (support.json["decisions"] as? [[String: Any]])?.first
            #expect(Self.missing(decision) == nil)
            #expect(support.text.contains(#""field":"signals.sessions""#), "\(support.text)")
            let sent = try await world.ask(
                "/v1/issued-offers", #""offerId":"regular",\#(world.anna.proof),"signals":{"sessions":3}"#)
            #expect(sent.status == 201, "\(sent.text)")
        }
    }

    /// The `missing` of the finding of the condition.
    private static func missing(_ decision: [String: Any]?) -> [String]? {
        let findings = decision?["findings"] as? [[String: Any]] ?? []
        return findings.first { $0["rule"] as? String == "rule.eligibility" }?["missing"] as? [String]
    }
}
