import Foundation
import OfferModel
import OfferSigning
import OfferTestSupport
import Testing

/// StoreKit grants an introductory offer by Apple's rules alone, of which the catalog's terms are no part: what the
/// catalog keeps back, a signed `false` must.
@Suite("An introductory offer to a new customer of an app without a backend")
struct AppTrialTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let title: String
        /// The offer's terms.
        let terms: String
        var members = ""
        let status: Int
        /// Whether a signed `false` goes with the answer.
        let isBlocked: Bool
        var hint = ""

        var testDescription: String { title }
    }

    private static let usage = """
        eligibility: { any: [ { fact: signals.interactions, atLeast: 50 }, { fact: signals.patterns, atLeast: 3 } ] }
        """

    static let cases = [
        Case(
            title: "too little use", terms: usage, members: #","signals":{"interactions":3,"patterns":0}"#, status: 403,
            isBlocked: true),
        Case(
            title: "no use stated", terms: usage, status: 422, isBlocked: true,
            hint: "pass `introductoryEligibility` to StoreKit"),
        Case(
            title: "a part of the use stated", terms: usage, members: #","signals":{"interactions":3}"#, status: 422,
            isBlocked: true, hint: "send `signals` with `patterns`, of the type that the offer's condition compares"),
        Case(
            title: "enough use", terms: usage, members: #","signals":{"interactions":50}"#, status: 422,
            isBlocked: false,
            hint: "`POST /v1/customers/refresh`"),
        Case(title: "no terms", terms: "", status: 422, isBlocked: false, hint: "buy without a statement"),
        Case(
            title: "a device that is not stated", terms: "eligibility: { fact: request.appVersion, atLeast: \"2.0\" }",
            status: 422, isBlocked: true, hint: "state the device"),
        Case(
            title: "an attribute that only a backend sets",
            terms: "eligibility: { fact: customer.attributes.invited, is: true }", status: 422, isBlocked: true,
            hint: "for a backend to set"),
        Case(
            title: "a limit per account of the app without a token", terms: "limits: [ { count: 1, per: account } ]",
            status: 422, isBlocked: true, hint: "`Customer-Token`"),
        Case(
            title: "again after a year, which only widens what Apple grants", terms: "again: { after: P12M }",
            status: 422,
            isBlocked: false),
        Case(
            title: "a share of the customers that leaves this one out", terms: "rollout: { percent: 0 }", status: 403,
            isBlocked: true),
    ]

    @Test(
        "a term of the catalog that is not met is signed as `false`; Apple's own are left to the App Store",
        arguments: cases)
    func withheld(_ expected: Case) async throws {
        try await AppWorld.run { world in
            let limits = expected.terms.contains("limits:") ? "" : "\n    limits: []"
            let catalog =
                TestCatalog.app() + "appSignals: [interactions, patterns]\n" + """
                    offers:
                      - id: trial
                        type: introductory
                        products: [monthly]
                        paymentMode: freeTrial
                        period: P1W
                        periodCount: 1
                        status: active
                        \(expected.terms)\(limits)

                    """
            let applied = try await world.service.ask(
                "PUT", "/v1/catalog", token: try await world.service.token(.marketing), body: catalog,
                headers: [("Content-Type", "application/yaml"), ("If-Match", "\"1\"")])
            try #require(applied.status == 200, "\(applied.text)")
            let data = #""offerId":"trial","signedAppTransaction":"\#(try world.appTransaction(of: "app-new"))""#
            // The second is answered from the record of the first.
            for _ in 0..<2 {
                let answer = try await world.ask("/v1/issued-offers", data + expected.members)
                #expect(answer.status == expected.status, "\(answer.text)")
                let statement = answer.json["introductoryEligibility"] as? [String: Any]
                #expect(
                    statement?["allowIntroductoryOffer"] as? Bool == (expected.isBlocked ? false : nil),
                    "\(answer.text)")
                let hint = answer.json["hint"] as? String ?? ""
                #expect(expected.hint.isEmpty || hint.contains(expected.hint), "\(answer.text)")
                guard let jws = statement?["jws"] as? String else { continue }
                let payload = try CompactJWS(parsing: jws).payload
                let claims = try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
                #expect(claims["allowIntroductoryOffer"] as? Bool == false)
                #expect(claims["transactionId"] as? String == "app-new")
            }
            #expect(try world.service.rows("SELECT COUNT(*) FROM issued_offer") == [["0"]])
        }
    }
}
