import Foundation
import LocalAppStore
import OfferModel
import OfferSigning
import OfferTestSupport
import Testing

@Suite("One customer per Apple Account, over HTTP")
struct IdentityHTTPTests {
    private static let old = "0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"
    private static let new = "aaaaaaaa-4c5d-4e6f-8a9b-0c1d2e3f4a5b"

    /// The key of an app's backend.
    private struct Backend {
        let service: ServiceFixture
        let client: String
        let support: String

        init(_ service: ServiceFixture) async throws {
            try await service.applyCatalog()
            self.service = service
            client = try await service.token(.client)
            support = try await service.token(.support)
        }

        /// Signed transactions with their payloads changed, as Apple would sign them for this customer.
        func transactions(
            _ id: String, _ change: (inout [String: Any]) -> Void = { _ in }
        ) throws -> (transactions: [String], renewalInfo: [String]) {
            let signed = try service.lapsedCustomer(id)
            return (
                try signed.signedTransactions.map { try service.edited($0, change) },
                try signed.signedRenewalInfo.map { try service.edited($0, change) }
            )
        }

        func issue(
            _ customer: String, _ signed: (transactions: [String], renewalInfo: [String]) = ([], [])
        ) async throws -> RawAnswer {
            try await service.ask(
                "POST", "/v1/issued-offers", token: client,
                body: """
                    {"offerId":"comeback","customer":{\(customer)},"historyComplete":true,\
                    "signedTransactions":\(Self.list(signed.transactions)),\
                    "signedRenewalInfo":\(Self.list(signed.renewalInfo))}
                    """)
        }

        func deliver(_ jws: [String], renewalInfo: [String] = [], customer: String = "") async throws -> RawAnswer {
            try await service.ask(
                "POST", "/v1/transactions", token: client,
                body: """
                    {"signedTransactions":\(Self.list(jws)),"signedRenewalInfo":\(Self.list(renewalInfo)),\
                    "customer":{\(customer)}}
                    """)
        }

        func story(_ query: String) async throws -> RawAnswer {
            try await service.ask("GET", "/v1/customers?\(query)", token: support)
        }

        /// A limit as support sees it in a dry-run.
        func limit(_ customer: String) async throws -> String? {
            let answer = try await service.ask(
                "POST", "/v1/decisions", token: support, body: #"{"customer":{\#(customer)},"offerIds":["comeback"]}"#)
            let decisions = answer.json["decisions"] as? [[String: Any]]
            let findings = decisions?.first?["findings"] as? [[String: Any]]
            return findings?.first { $0["rule"] as? String == "limit.customer" }?["message"] as? String
        }

        /// How many customers there are who were not merged away.
        func customers() throws -> Int {
            Int(try service.rows("SELECT COUNT(*) FROM customer WHERE merged_into IS NULL")[0][0]) ?? -1
        }

        private static func list(_ jws: [String]) -> String {
            "[" + jws.map { "\"\($0)\"" }.joined(separator: ",") + "]"
        }
    }

    @Test("old Apple account, new sign-up: the once-only offer stays taken, and support reads under which sign-up")
    func newSignUp() async throws {
        try await ServiceFixture.run { service in
            let backend = try await Backend(service)
            let data = try backend.transactions("100") { $0["appAccountToken"] = Self.old }
            let first = try await backend.issue(#""appAccountToken":"\#(Self.old)","customerId":"anna""#, data)
            #expect(first.status == 201, "\(first.text)")
            let id = try #require(first.json["issuedOfferId"] as? String)
            service.clock.advance(milliseconds: Instant.Duration.hour)
            let now = service.clock.now
            let use = try service.edited(try #require(data.transactions.last)) { payload in
                payload["transactionId"] = "100900"
                payload["purchaseDate"] = now.milliseconds
                payload["expiresDate"] = now.adding(months: 1).milliseconds
                payload["signedDate"] = now.milliseconds
                payload["offerType"] = 2
                payload["offerIdentifier"] = "comeback50"
                payload["offerPeriod"] = "P1M"
            }
            #expect(try await backend.deliver([use]).status == 200)
            service.clock.advance(milliseconds: 40 * Instant.Duration.day)
            let again = try service.lapsedCustomer("100")
            let second = try await backend.issue(
                #""appAccountToken":"\#(Self.new)","customerId":"second""#,
                (data.transactions + [use], again.signedRenewalInfo))
            #expect(second.status == 403, "\(second.text)")
            #expect(second.code == "not-eligible")
            // The app's backend is told the rule alone; another sign-up's names are not for it.
            #expect(!second.text.contains("anna"))
            #expect(try backend.customers() == 1)
            let message = try #require(try await backend.limit(#""customerId":"second""#))
            #expect(message.contains("under another sign-up of the same Apple Account: `customerId` `anna`, "))
            #expect(message.contains("(issued offer `\(id)`)"))
            let story = try await backend.story("customerId=second")
            let timeline = try #require(story.json["timeline"] as? [[String: Any]])
            let refused = try #require(timeline.first { $0["kind"] as? String == "refused" }?["message"] as? String)
            #expect(refused.hasPrefix("the offer `comeback` was refused: "), "\(refused)")
        }
    }

    @Test("same subscription on several devices: one customer, one open offer, whatever each device sends")
    func severalDevices() async throws {
        try await ServiceFixture.run { service in
            let backend = try await Backend(service)
            let phone = try backend.transactions("100")
            let first = try await backend.issue(#""customerId":"anna""#, phone)
            #expect(first.status == 201, "\(first.text)")
            // Another device of the account shows the same transactions, signed anew.
            service.clock.advance(milliseconds: 60_000)
            let signed = service.clock.now.milliseconds
            let tablet = try backend.transactions("100") { $0["signedDate"] = signed }
            let second = try await backend.issue(#""customerId":"anna""#, tablet)
            #expect(second.status == 200, "\(second.text)")
            #expect(second.json["issuedOfferId"] as? String == first.json["issuedOfferId"] as? String)
            #expect(try backend.customers() == 1)
            #expect(try service.rows("SELECT COUNT(*) FROM customer_identifier") == [["2"]])
        }
    }

    @Test("a `customerId` that is a UUID is one customer in any case, on every route that takes it")
    func customerIdCase() async throws {
        try await ServiceFixture.run { service in
            let backend = try await Backend(service)
            let (lower, upper) = (Self.old.lowercased(), Self.old.uppercased())
            let data = try backend.transactions("100")
            let delivered = try await backend.deliver(
                data.transactions, renewalInfo: data.renewalInfo, customer: #""customerId":"\#(upper)""#)
            #expect(delivered.text.contains(#""customerIds":["\#(lower)"]"#), "\(delivered.text)")
            var issued: [String?] = []
            for id in [lower, upper, "\(upper.prefix(18))\(lower.dropFirst(18))"] {
                let customer = #"{"customerId":"\#(id)"}"#
                let bodies = [
                    ("POST", "/v1/customers/status", #"{"customers":[\#(customer)]}"#, #""known":true"#),
                    ("POST", "/v1/decisions", #"{"customer":\#(customer)}"#, #""known":true"#),
                    (
                        "PUT", "/v1/customers/attributes", #"{"customer":\#(customer),"attributes":{"a":1}}"#,
                        #""attributes""#
                    ),
                    ("POST", "/v1/issued-offers", #"{"customer":\#(customer),"offerId":"comeback"}"#, "issuedOfferId"),
                ]
                for (method, path, body, expected) in bodies {
                    let answer = try await service.ask(method, path, token: backend.client, body: body)
                    #expect(
                        [200, 201].contains(answer.status) && answer.text.contains(expected), "\(id): \(answer.text)")
                    if path == "/v1/issued-offers" { issued.append(answer.json["issuedOfferId"] as? String) }
                }
                #expect(try await backend.story("customerId=\(id)").status == 200)
                let list = try await service.ask("GET", "/v1/issued-offers?customerId=\(id)", token: backend.support)
                #expect((list.json["items"] as? [Any])?.count == 1, "\(list.text)")
            }
            #expect(Set(issued).count == 1 && issued.first != nil)
            #expect(try backend.customers() == 1)
            let unlinked = try await service.ask(
                "POST", "/v1/customers/unlink", token: backend.support,
                body: #"{"customer":{"originalTransactionId":"100"},"aliases":{"customerId":"\#(upper)"},"reason":"r"}"#
            )
            #expect(unlinked.status == 200, "\(unlinked.text)")
            #expect(try await backend.story("customerId=\(lower)").status == 404)
        }
    }

    @Test("one token used by two Apple accounts: asked by it alone it is ambiguous-customer, and nobody is merged")
    func sharedToken() async throws {
        try await ServiceFixture.run { service in
            let backend = try await Backend(service)
            let token = #""appAccountToken":"\#(Self.old)""#
            for id in ["100", "200"] {
                let data = try backend.transactions(id) { $0["appAccountToken"] = Self.old }
                #expect(try await backend.deliver(data.transactions, renewalInfo: data.renewalInfo).status == 200)
            }
            #expect(try backend.customers() == 2)
            let alone = try await backend.issue(token)
            #expect(alone.status == 409)
            #expect(alone.code == "ambiguous-customer")
            #expect(try await backend.story("appAccountToken=\(Self.old)").code == "ambiguous-customer")
            // Apple's own identifiers and signed data decide before any alias.
            let story = try await backend.story("originalTransactionId=200&appAccountToken=\(Self.old)")
            #expect(story.status == 200)
            let issued = try await backend.issue(token, try backend.transactions("200"))
            #expect(issued.status == 201, "\(issued.text)")
        }
    }

    @Test(
        "an app that sends one constant token for everybody: nobody is merged, and everybody has an offer of their own")
    func constantToken() async throws {
        try await ServiceFixture.run { service in
            let backend = try await Backend(service)
            let token = #""appAccountToken":"00000000-0000-4000-8000-000000000000""#
            var issued = Set<String>()
            for number in 0..<20 {
                let data = try backend.transactions("\(1_000 + number)") { payload in
                    payload["appAccountToken"] = "00000000-0000-4000-8000-000000000000"
                    payload["appTransactionId"] = nil
                }
                let answer = try await backend.issue(token, data)
                #expect(answer.status == 201, "\(number): \(answer.text)")
                issued.insert(try #require(answer.json["issuedOfferId"] as? String))
            }
            #expect(issued.count == 20)
            #expect(try backend.customers() == 20)
            #expect(try service.rows("SELECT COUNT(*) FROM customer_merge") == [["0"]])
            #expect(try await backend.issue(token).code == "ambiguous-customer")
        }
    }

    @Test("family members are never merged, also under one token, and each has limits of their own")
    func family() async throws {
        try await ServiceFixture.run { service in
            let backend = try await Backend(service)
            let owner = try backend.transactions("100") { $0["appAccountToken"] = Self.old }
            let member = try backend.transactions("200") { payload in
                payload["appAccountToken"] = Self.old
                payload["inAppOwnershipType"] = "FAMILY_SHARED"
            }
            for data in [owner, member] {
                #expect(try await backend.deliver(data.transactions, renewalInfo: data.renewalInfo).status == 200)
            }
            #expect(try backend.customers() == 2)
            #expect(try await backend.issue(#""originalTransactionId":"100""#).status == 201)
            let story = try await backend.story("originalTransactionId=200")
            #expect((story.json["issuedOffers"] as? [Any])?.isEmpty == true)
            let timeline = try #require(story.json["timeline"] as? [[String: Any]])
            #expect(timeline.last?["kind"] as? String == "shared")
            let customers = try #require(story.json["customers"] as? [[String: Any]])
            #expect(customers.map { $0["originalTransactionIds"] as? [String] } == [["200"]])
        }
    }

    @Test(
        "a request that is refused for its signed data binds no alias; one that is answered does, and says where from")
    func refusedRequest() async throws {
        try await ServiceFixture.run { service in
            let backend = try await Backend(service)
            let data = try backend.transactions("100")
            #expect(try await backend.deliver(data.transactions, renewalInfo: data.renewalInfo).status == 200)
            let refused = try await backend.issue(
                #""originalTransactionId":"100","customerId":"mistaken""#, (["no.jws.atall"], []))
            #expect(refused.code == "signed-data-refused")
            #expect(try await backend.story("customerId=mistaken").status == 404)
            let answered = try await backend.issue(#""originalTransactionId":"100","customerId":"anna""#)
            #expect(answered.status == 201, "\(answered.text)")
            let story = try await backend.story("customerId=anna")
            let customers = try #require(story.json["customers"] as? [[String: Any]])
            let identifiers = try #require(customers.first?["identifiers"] as? [[String: Any]])
            let alias = try #require(identifiers.first { $0["kind"] as? String == "customerId" })
            #expect(alias["value"] as? String == "anna")
            #expect(alias["provenance"] as? String == "caller")
            #expect(alias["requestId"] as? String == answered.headers["x-request-id"])
            let proven = try #require(identifiers.first { $0["kind"] as? String == "originalTransactionId" })
            #expect(proven["provenance"] as? String == "client")
            #expect(proven["transactionId"] as? String == "100")
        }
    }

    @Test("the timeline turns its pages without a gap and without a repeat, and refuses another list's cursor")
    func pages() async throws {
        try await ServiceFixture.run { service in
            let backend = try await Backend(service)
            let data = try backend.transactions("100")
            _ = try await backend.issue(#""customerId":"anna""#, data)
            func entries(_ answer: RawAnswer) throws -> [String] {
                try #require(answer.json["timeline"] as? [[String: Any]]).compactMap { $0["message"] as? String }
            }
            let whole = try await backend.story("customerId=anna")
            #expect(whole.json["next"] == nil)
            let all = try entries(whole)
            #expect(all.count >= 6)
            var shown: [String] = []
            var next: String?
            repeat {
                let page = try await backend.story("customerId=anna&limit=1" + (next.map { "&cursor=\($0)" } ?? ""))
                #expect(page.status == 200, "\(page.text)")
                let found = try entries(page)
                #expect(found.count == 1)
                shown += found
                next = page.json["next"] as? String
            } while next != nil && shown.count <= all.count
            #expect(shown == all)
            for cursor in ["7", "1.0", "1.-1", "x.1", "1.1.1", "1.99999999"] {
                let refused = try await backend.story("customerId=anna&cursor=\(cursor)")
                #expect(refused.status == 400, "\(cursor)")
                #expect(refused.errors.map { $0["path"] as? String } == ["query.cursor"])
            }
        }
    }
}
