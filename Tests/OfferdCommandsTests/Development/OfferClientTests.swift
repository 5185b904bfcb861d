import AsyncHTTPClient
import Foundation
import OfferTestSupport
import Testing

/// `Examples/ios/OfferClient.swift` against a running server; what it passes to StoreKit compiles on Apple's systems only.
@Suite("The example of a client for iOS")
struct OfferClientTests {
    private static let account = "33333333-3333-4333-8333-333333333333"

    private func ask(
        _ server: RunningServer, _ project: StoreKitProject, _ request: OfferClient.Request
    ) async throws -> OfferClient.Offer {
        let token = try String(contentsOfFile: project.directory.path(".offerd-xcode/client.token"), encoding: .utf8)
        let body = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
        let answer = try await server.ask(
            "POST", "/v1/issued-offers", token: token.trimmingCharacters(in: .newlines), body: body, client: .shared)
        return try OfferClient.offer(status: answer.status, body: Data(answer.body), for: request)
    }

    private func request(_ offer: String, _ transactions: [String]) -> OfferClient.Request {
        OfferClient.Request(
            offerId: offer, productId: "com.example.pro.monthly", customer: .init(appAccountToken: Self.account),
            signedTransactions: transactions)
    }

    @Test("it reads both encodings of a promotional offer, and the sentence of a refusal")
    func responses() async throws {
        let project = try StoreKitProject()
        let server = try await project.start()
        let transaction = try project.transaction(account: Self.account)
        var promotional = request("comeback50", [transaction])
        promotional.formats = ["v1", "v2"]
        let offer = try await ask(server, project, promotional)
        #expect(offer.offerIdentifier == "comeback50")
        #expect(offer.delivery == "signature")
        let v1 = try #require(offer.signatures.v1)
        #expect(v1.keyId == "3F2A9C41")
        #expect(v1.appAccountToken == Self.account)
        #expect(Data(base64Encoded: v1.signature)?.first == 0x30)
        #expect(offer.signatures.v2?.jws.split(separator: ".").count == 3)
        let refusal = await #expect(throws: OfferClient.Failure.self) {
            try await ask(server, project, request("com.example.pro.monthly.introductory", [transaction]))
        }
        guard case .refused(let answer, let eligibility) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(answer.hasSuffix("."))
        #expect(eligibility?.split(separator: ".").count == 3)
        let unknown = await #expect(throws: OfferClient.Failure.self) {
            try await ask(server, project, request("unknown", []))
        }
        guard case .failed(404, let detail) = unknown else {
            Issue.record("\(String(describing: unknown))")
            return
        }
        #expect(detail.contains("`unknown`"))
        #expect(await server.stop() == 0)
    }

    @Test("it asks what a customer may have, and reports a purchase")
    func inquiry() async throws {
        let project = try StoreKitProject()
        let server = try await project.start()
        let url = try #require(URL(string: server.url))
        let token = try String(contentsOfFile: project.directory.path(".offerd-xcode/client.token"), encoding: .utf8)
        let client = OfferClient(url: url, token: token.trimmingCharacters(in: .newlines))
        let account = try #require(UUID(uuidString: Self.account))
        func answer(_ path: String, _ body: some Encodable) async throws -> OfferClient.Response {
            let text = String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
            let answer = try await server.ask("POST", path, token: client.token, body: text, client: .shared)
            return OfferClient.Response(status: answer.status, body: Data(answer.body))
        }
        let trial = "com.example.pro.monthly.introductory"
        var inquiry = client.inquiry(
            for: "com.example.pro.monthly", offerIds: ["comeback50", trial], accountToken: account,
            facts: OfferClient.Facts(locale: "de_DE", placement: "paywall"))
        #expect(try await answer("/v1/transactions", client.delivery(of: inquiry)).status == 200)
        let new = try OfferClient.answers(try await answer("/v1/decisions", inquiry), earlier: nil)
        // Nothing says yet that the trial was not used.
        #expect(new.best == nil)
        inquiry.signedTransactions = [try project.transaction(account: Self.account)]
        let report = OfferClient.Delivery(signedTransactions: inquiry.signedTransactions)
        #expect(try await answer("/v1/transactions", report).status == 200)
        let answers = try OfferClient.answers(try await answer("/v1/decisions", inquiry), earlier: nil)
        #expect(answers.best == "comeback50")
        let refused = try #require(answers.decisions.first { $0.offerId == trial })
        #expect(refused.outcome == "ineligible")
        #expect(refused.explanation?.customerAnswer.hasSuffix(".") == true)
        // By these the app finds what it shows and sells.
        #expect(refused.listing == .introductoryOffer)
        #expect(answers.decisions.first { $0.offerId == "comeback50" }?.listing == .promotionalOffers("comeback50"))
        let kept = try JSONDecoder().decode(OfferClient.Answers.self, from: try JSONEncoder().encode(answers))
        #expect(kept.receivedAt == answers.receivedAt)
        #expect(await server.stop() == 0)
    }

    @Test("an offer is shown from the list in which StoreKit has it, and not without its name")
    func listings() throws {
        for (type, name, delivery, listing) in [
            ("introductory", nil, "introductoryEligibility", .introductoryOffer),
            ("promotional", "half", "signature", .promotionalOffers("half")),
            ("winBack", "back", "signature", .promotionalOffers("back")),
            ("winBack", "back", "appStore", .winBackOffers("back")), ("promotional", nil, "signature", nil),
            (nil, nil, nil, nil),
        ] as [(String?, String?, String?, OfferClient.Answers.Decision.Listing?)] {
            let decision = OfferClient.Answers.Decision(
                offerId: "offer", outcome: "eligible", offerType: type, offerIdentifier: name, delivery: delivery)
            #expect(decision.listing == listing, "\(decision)")
        }
    }

    @Test("the regular price begins after all periods of the offer, and the customer cancels a day before")
    func ends() throws {
        func day(_ text: String) throws -> Date { try Date("\(text)T12:00:00Z", strategy: .iso8601) }
        for (count, unit, start, end, cancelBy) in [
            (7, .day, "2026-12-01", "2026-12-08", "2026-12-07"),
            (2, .weekOfYear, "2026-12-01", "2026-12-15", "2026-12-14"),
            (3, .month, "2026-11-30", "2027-02-28", "2027-02-27"), (1, .year, "2028-02-29", "2029-02-28", "2029-02-27"),
        ] as [(Int, Calendar.Component, String, String, String)] {
            let found = try #require(OfferClient.end(count, unit, after: try day(start)))
            #expect(found == (try day(end)), "\(count) \(unit) after \(start)")
            let terms = OfferClient.Terms(
                isFree: false, price: "$4.99", isPerPeriod: true, period: "1 month", length: "3 months",
                regularPrice: "$9.99", regularPeriod: "1 month", endsAt: found)
            #expect(terms.cancelBy == (try day(cancelBy)))
        }
    }

    @Test("an earlier answer of the last hour is used only if there is no other")
    func earlier() throws {
        let now = Date(timeIntervalSince1970: 1_000_000)
        func best(_ status: Int, age: Double?) throws -> String? {
            let earlier = age.map {
                OfferClient.Answers(decisions: [], best: "earlier", receivedAt: now.addingTimeInterval(-$0))
            }
            let body = status == 200 ? #"{"decisions": [], "best": "new"}"# : #"{"detail": "no"}"#
            let response = OfferClient.Response(status: status, body: Data(body.utf8))
            return try OfferClient.answers(response, earlier: earlier, now: now).best
        }
        #expect(try best(200, age: 60) == "new")
        for status in [0, 429, 500, 503] {
            #expect(try best(status, age: 3_600) == "earlier")
            for age in [3_601, -60, nil] as [Double?] {
                #expect(throws: OfferClient.Failure.self) { try best(status, age: age) }
            }
        }
        #expect(throws: OfferClient.Failure.self) { try best(403, age: 60) }
    }

    @Test("a request is sent again while another answer is to be expected soon, under the same key")
    func repeating() async throws {
        struct Lost: Error {}
        func run(_ responses: [OfferClient.Response?]) async throws -> (status: Int, pauses: [Double]) {
            var (rest, pauses) = (responses, [Double]())
            let last = try await OfferClient.repeating(attempts: 3, pause: { pauses.append($0) }) {
                guard let response = rest.removeFirst() else { throw Lost() }
                return response
            }
            #expect(rest.isEmpty)
            return (last.status, pauses)
        }
        func response(_ status: Int, after wait: Double? = nil) -> OfferClient.Response {
            OfferClient.Response(status: status, retryAfter: wait)
        }
        for status in [200, 201, 400, 403, 409, 422] {
            let only = try await run([response(status)])
            #expect(only.status == status && only.pauses.isEmpty)
        }
        let lost = try await run([nil, response(503, after: 2), response(201)])
        #expect(lost.status == 201 && lost.pauses == [0.5, 2])
        let never = try await run([nil, nil, nil])
        #expect(never.status == 0 && never.pauses == [0.5, 1])
        let late = try await run([response(429, after: 600)])
        #expect(late.status == 429 && late.pauses.isEmpty)

        let client = OfferClient(url: try #require(URL(string: "http://127.0.0.1:8080")), token: "offerd_…")
        let key = UUID()
        #expect(client.headers(key: key, customerToken: "eyJ…")["Idempotency-Key"] == key.uuidString)
        #expect(client.headers(key: nil, customerToken: "eyJ…")["Idempotency-Key"] == nil)
        #expect(client.headers(key: nil, customerToken: "eyJ…")["Customer-Token"] == nil)
    }

    @Test("a long history is sent in several requests of at most 20 JWS, and none twice")
    func longHistories() throws {
        for count in [0, 1, 18, 19, 20, 58, 59, 200] {
            let all = (0..<count).map { "transaction \($0)" }
            var request = request("comeback50", all)
            request.signedRenewalInfo = ["renewal"]
            request.signedAppTransaction = "app"
            let deliveries = OfferClient.deliveries(before: &request)
            #expect(request.signedTransactions == Array(all.prefix(18)))
            #expect(deliveries.flatMap(\.signedTransactions) == Array(all.dropFirst(18)))
            #expect(deliveries.allSatisfy { (1...20).contains($0.signedTransactions.count) })
        }
    }

    @Test("with a publishable key it names no customer and does not say that the history is complete")
    func publishable() throws {
        func members(_ isPublishable: Bool) throws -> Set<String> {
            let url = try #require(URL(string: "http://127.0.0.1:8080"))
            let client = OfferClient(url: url, token: "offerd_…", isPublishable: isPublishable)
            let account = try #require(UUID(uuidString: Self.account))
            let request = client.request(
                for: "com.example.pro.monthly", offerId: "comeback50", accountToken: account, fresh: false)
            let json = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(request)) as? [String: Any]
            return Set(try #require(json).keys)
        }
        let common: Set = ["offerId", "productId", "fresh", "signedTransactions", "signedRenewalInfo"]
        #expect(try members(true) == common)
        #expect(try members(false) == common.union(["customer", "historyComplete"]))
    }

    @Test("it refuses a response that is for another product or another account, or has expired")
    func checks() throws {
        let request = request("comeback50", [])
        func read(_ product: String, _ account: String, expires: Int) throws -> OfferClient.Offer {
            let body = """
                {"offerId": "comeback50", "productId": "\(product)", "offerIdentifier": "comeback50",
                 "delivery": "signature", "expiresAt": \(expires), "signatures": {"v1": {"keyId": "3F2A9C41",
                 "nonce": "2d578a38-0e2b-4781-bb35-deaa38ceb23e", "timestamp": 1, "signature": "MEUC",
                 "appAccountToken": "\(account)"}}}
                """
            return try OfferClient.offer(
                status: 201, body: Data(body.utf8), for: request, now: Date(timeIntervalSince1970: 1))
        }
        #expect(try read("com.example.pro.monthly", Self.account, expires: 1_001).offerId == "comeback50")
        for (product, account, expires) in [
            ("com.example.pro.yearly", Self.account, 1_001), ("com.example.pro.monthly", "another", 1_001),
            ("com.example.pro.monthly", Self.account, 1_000),
        ] {
            #expect(throws: OfferClient.Failure.self) { try read(product, account, expires: expires) }
        }
    }
}
