import Foundation
import LocalAppStore
import OfferHTTP
import OfferModel
import OfferTestSupport
import Testing

@Suite("Hints that work when they are followed")
struct FollowedHintTests {
    @Test("the trial of a new customer asks for signedAppTransaction, and is granted with it")
    func trial() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let asked = try await service.refusal().answer
            #expect(asked.status == 422)
            #expect(
                asked.json["hint"] as? String
                    == "send the customer's `signedAppTransaction`, which a new customer has too; "
                    + "send all of the customer's signed transactions, with `historyComplete` set to `true`; "
                    + "until then StoreKit applies Apple's own rules by itself: buy without a statement")
            let installed = Scenario(
                bundleId: "com.example.pro", environment: .localTesting,
                customer: ScenarioCustomer(appTransactionId: "704000"),
                steps: [.appTransaction(at: .fixed(service.clock.now))])
            let jws = try #require(
                try service.appStore.sign(installed, now: service.clock.now).signedAppTransaction)
            let granted = try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.client),
                body: """
                    {"offerId":"trial","customer":{"customerId":"stranger"},"signedTransactions":[],\
                    "signedAppTransaction":"\(jws)","historyComplete":true}
                    """)
            #expect(granted.status == 201, "\(granted.text)")
        }
    }

    @Test("a product that the offer does not have is 400 with those that it has, and no refusal is recorded")
    func product() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let answer = try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.client),
                body: #"{"offerId":"either","productId":"weekly","customer":{"customerId":"stranger"}}"#)
            #expect(answer.status == 400 && answer.code == "invalid-request", "\(answer.text)")
            #expect(answer.errors.map { $0["pointer"] as? String } == ["/productId"])
            #expect(answer.json["detail"] as? String == "`/productId`: the offer `either` is not for `weekly`")
            #expect(answer.json["hint"] as? String == "set `productId` to one of `monthly`, `yearly`")
            #expect(try service.rows("SELECT COUNT(*) FROM refusal") == [["0"]])
        }
    }

    @Test(
        "an empty object names every member that is missing at once",
        arguments: [
            ("/v1/issued-offers", Role.client, ["/offerId"]),
            ("/v1/customers/unlink", .support, ["/customer", "/aliases", "/reason"]),
            ("/v1/customers/reset", .support, ["/customer", "/reason"]),
            ("/v1/customers/attributes", .client, ["/customer", "/attributes"]),
        ])
    func missing(_ path: String, _ role: Role, _ pointers: [String]) async throws {
        try await ServiceFixture.run { service in
            let method = path.hasSuffix("attributes") ? "PUT" : "POST"
            let answer = try await service.ask(method, path, token: try await service.token(role), body: "{}")
            #expect(answer.status == 400 && answer.code == "invalid-request", "\(answer.text)")
            #expect(answer.errors.compactMap { $0["pointer"] as? String } == pointers)
            #expect(answer.errors.allSatisfy { $0["code"] as? String == "missingMember" })
            #expect(
                answer.errors.map { $0["detail"] as? String }
                    == pointers.map { "the member `\($0.dropFirst())` is missing" })
        }
    }

    @Test("misspelt and missing members are reported together")
    func misspelt() async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.client),
                body: #"{"offer":"comeback","customer":{"customerId":"c"}}"#)
            #expect(answer.errors.compactMap { $0["pointer"] as? String } == ["/offer", "/offerId"], "\(answer.text)")
        }
    }

    @Test("no list takes the cursor of another")
    func cursors() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            for (customer, offer) in [("100", "comeback"), ("200", "comeback")] {
                _ = try await service.ask(
                    "POST", "/v1/issued-offers", token: try await service.token(.client),
                    body: service.issueBody(offer, try service.lapsedCustomer(customer)))
            }
            _ = try await service.ask(
                "PUT", "/v1/catalog", token: try await service.token(.marketing),
                body: "# another\n" + TestCatalog.yaml,
                headers: [("Content-Type", "application/yaml"), ("If-Match", "\"1\"")])
            let admin = try await service.token(.admin)
            let lists = [
                "/v1/issued-offers", "/v1/issued-offers/export", "/v1/catalog/revisions", "/v1/offers",
            ]
            for list in lists {
                let page = try await service.ask("GET", list + "?limit=1", token: admin)
                let next = try #require(page.json["next"] as? String, "\(list): \(page.text)")
                for other in lists {
                    let answer = try await service.ask("GET", other + "?cursor=\(next)", token: admin)
                    #expect(answer.status == (other == list ? 200 : 400), "\(next) of \(list) at \(other)")
                    guard other != list else { continue }
                    #expect(
                        answer.json["detail"] as? String
                            == "`query.cursor`: `\(next)` is not a cursor of this list")
                    #expect(answer.json["hint"] as? String == "pass the `next` of the previous page unchanged")
                }
            }
        }
    }

    @Test(
        "the catalog is 304 without a body while the revision is the one in If-None-Match, else 200",
        arguments: [
            ("\"1\"", 304), ("W/\"1\"", 304), ("\"7\", \"1\"", 304), ("*", 304), ("\"0\"", 200), ("1", 200), ("", 200),
        ])
    func notModified(_ tag: String, _ status: Int) async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let answer = try await service.ask(
                "GET", "/v1/catalog", token: try await service.token(.support), headers: [("If-None-Match", tag)])
            #expect(answer.status == status, "\(tag)")
            #expect(answer.body.isEmpty == (status == 304))
            #expect(answer.headers["etag"] == "\"1\"")
        }
    }

    @Test("every operation has a tag, and every tag is described")
    func tags() {
        let text = String(decoding: OfferServer.description, as: UTF8.self)
        let operations = text.matches(of: #/\n {6}operationId: \w+\n {6}tags: \[([\w ]+)\]/#).map {
            String($0.output.1)
        }
        #expect(operations.count == text.matches(of: #/\n {6}operationId: /#).count)
        let described = text.matches(of: #/\n {2}- \{ name: ([\w ]+), description: /#).map { String($0.output.1) }
        #expect(Set(operations) == Set(described))
    }
}
