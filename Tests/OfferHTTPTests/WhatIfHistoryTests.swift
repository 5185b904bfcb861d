import Foundation
import LocalAppStore
import OfferModel
import OfferTestSupport
import Testing

@Suite("Dry-runs of a supplied history over HTTP")
struct WhatIfHistoryTests {
    @Test("it is decided without a customer, says that an operator stated it, and leaves no trace (invariant 4)")
    func supplied() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let history = try service.history(try service.lapsedCustomer("100"))
            let support = try await service.token(.support)
            let before = try service.databaseText()
            let answer = try await service.ask(
                "POST", "/v1/decisions", token: support, body: #"{"history":\#(history)}"#)
            #expect(answer.outcomes == ["comeback eligible", "trial ineligible", "either eligible"])
            let shown = answer.evidence.filter { $0["transactionId"] != nil }
            #expect(Set(shown.compactMap { $0["provenance"] as? String }) == ["operator"])
            let catalog = #""catalog":\#(try quoted(TestCatalog.yaml)),"offerIds":["comeback"]"#
            let asOf = ServiceFixture.start.milliseconds
            let all = #"{"history":\#(history),"asOf":\#(asOf),\#(catalog),"customer":{"customerId":"new"}}"#
            let supposed = try await service.ask("POST", "/v1/decisions", token: support, body: all)
            #expect(supposed.outcomes == ["comeback eligible"])
            #expect(try service.databaseText() == before)
        }
    }

    @Test("it takes the place of the stored one, while the offers on record count unless they are replaced too")
    func replaced() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let signed = try service.lapsedCustomer("110")
            let issued = try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.client),
                body: service.issueBody("comeback", signed))
            #expect(issued.status == 201, "\(issued.text)")
            let issuedOffer = try #require(issued.json["issuedOfferId"] as? String)
            _ = try await service.ask(
                "POST", "/v1/issued-offers/\(issuedOffer)/void", token: try await service.token(.support),
                body: #"{"reason":"wrong account"}"#)
            let customer = #""customer":{"originalTransactionId":"110"},"offerIds":["comeback"]"#
            #expect(try await service.decide("{\(customer)}").violated == ["limit.customer"])
            let never = #"{"transactions":[],"renewalInfos":[],"complete":true}"#
            let without = try await service.decide(#"{\#(customer),"history":\#(never)}"#)
            #expect(without.violated.contains("platform.promotional.everSubscribed"), "\(without.text)")
            #expect(without.violated.contains("limit.customer"), "\(without.text)")
            let history = try service.history(signed, more: #","issuedOffers":[]"#)
            #expect(try await service.decide(#"{\#(customer),"history":\#(history)}"#).violated == [])
        }
    }

    @Test(
        "a supplied issued offer holds its place as a real one would",
        arguments: [
            ("", [] as [String]), (#","signings":3"#, []),
            (#","signings":3,"expiresAt":1780001800000"#, ["limit.signatures"]),
            (#","voidedAt":1779990000000"#, ["limit.customer"]),
            (#","voidedAt":1779990000000,"released":true"#, []),
            (#","voidedAt":1779990000000,"expiresAt":1779990000000"#, []), (#","productId":"monthly""#, []),
        ])
    func issuedOffers(_ more: String, violated: [String]) async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            // Five hours ago, so that an hour of its 24 is long left.
            let issued = #","issuedOffers":[{"offerId":"comeback","issuedAt":1779982000000\#(more)}]"#
            let history = try service.history(try service.lapsedCustomer("120"), more: issued)
            let answer = try await service.decide(#"{"history":\#(history),"offerIds":["comeback"]}"#)
            #expect(answer.violated == violated, "\(answer.text)")
        }
    }

    @Test("200 payloads of long and foreign texts are taken; 201, a megabyte in one, and wrong members are refused")
    func bounds() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let signed = try service.lapsedCustomer("130")
            let jws = try #require(signed.signedTransactions.first)
            func body(_ count: Int, note: String) throws -> String {
                let payloads = try (0..<count).map { number in
                    try service.decoded(jws) { payload in
                        payload["transactionId"] = "130-\(number)-🎁-\u{202E}é"
                        payload["note"] = note
                    }
                }.joined(separator: ",")
                return #"{"history":{"transactions":[\#(payloads)],"renewalInfos":[],"complete":true}}"#
            }
            let most = try await service.decide(try body(200, note: String(repeating: "ü", count: 4_000)))
            #expect(most.status == 200, "\(most.text.prefix(300))")
            let many = try await service.decide(try body(201, note: ""))
            #expect(many.status == 400)
            #expect(many.pointers == ["/history"])
            #expect(many.errors.map { $0["code"] as? String } == ["tooMany"])
            let large = try await service.decide(try body(1, note: String(repeating: "x", count: 1_000_000)))
            #expect(large.status == 400)
            #expect(large.pointers == ["/history/transactions/0"])
            let larger = try await service.decide(try body(1, note: String(repeating: "x", count: 2_200_000)))
            #expect(larger.status == 413)
            let numbers = Array(repeating: "1", count: 30_000).joined(separator: ",")
            let long =
                #"{"history":{"transactions":[{"transactionId":[\#(numbers)]}],"renewalInfos":[],"complete":true}}"#
            #expect(try await service.decide(long).status == 400)
        }
    }

    @Test("a wrong supposition is 400 at its place")
    func faults() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let rest = #""renewalInfos":[],"complete":true"#
            let now = service.clock.now.milliseconds
            let purchase = #""transactionId":"1","originalTransactionId":"1","productId":"monthly","purchaseDate":1"#
            let own = #""bundleId":"com.example.pro",\#(purchase),"signedDate":1"#
            func issued(_ offer: String) -> String {
                #"{"history":{"transactions":[],\#(rest),"issuedOffers":[{"offerId":"comeback",\#(offer)}]}}"#
            }
            for (body, pointer) in [
                ("{}", "/customer"), (#"{"customer":null,"history":null}"#, "/customer"),
                (#"{"customer":{},"history":{"transactions":[],\#(rest)}}"#, "/customer"),
                (#"{"history":[]}"#, "/history"), (#"{"history":{\#(rest)}}"#, "/history/transactions"),
                (#"{"history":{"transactions":[],"complete":true}}"#, "/history/renewalInfos"),
                (#"{"history":{"transactions":[],"renewalInfos":[]}}"#, "/history/complete"),
                (#"{"history":{"transactions":[],"renewalInfos":[],"complete":"yes"}}"#, "/history/complete"),
                (#"{"history":{"transactions":{},\#(rest)}}"#, "/history/transactions"),
                (#"{"history":{"transactions":[],\#(rest),"all":1}}"#, "/history/all"),
                (#"{"history":{"transactions":[{}],\#(rest)}}"#, "/history/transactions/0"),
                (#"{"history":{"transactions":["a.b.c"],\#(rest)}}"#, "/history/transactions/0"),
                (#"{"history":{"transactions":[null],\#(rest)}}"#, "/history/transactions/0"),
                (#"{"history":{"transactions":[],\#(rest),"appTransaction":7}}"#, "/history/appTransaction"),
                (
                    #"{"history":{"transactions":[{\#(own)},{\#(own),"price":"free"}],\#(rest)}}"#,
                    "/history/transactions/1/price"
                ),
                (
                    #"{"history":{"transactions":[{\#(own),"quantity":1e400}],\#(rest)}}"#,
                    "/history/transactions/0/quantity"
                ),
                (
                    #"{"history":{"transactions":[{"bundleId":"com.example.other",\#(purchase),"signedDate":1}],\#(rest)}}"#,
                    "/history/transactions/0/bundleId"
                ),
                (
                    #"{"history":{"transactions":[{\#(own),"environment":"Production"}],\#(rest)}}"#,
                    "/history/transactions/0/environment"
                ),
                (
                    #"{"history":{"transactions":[{"bundleId":"com.example.pro",\#(purchase),"signedDate":\#(now + 60_001)}],\#(rest)}}"#,
                    "/history/transactions/0/signedDate"
                ),
                (issued(#""issuedAt":-1"#), "/history/issuedOffers/0/issuedAt"),
                (issued(#""issuedAt":\#(now + 60_001)"#), "/history/issuedOffers/0/issuedAt"),
                (issued(#""issuedAt":5,"expiresAt":4"#), "/history/issuedOffers/0/expiresAt"),
                (issued(#""issuedAt":5,"voidedAt":4"#), "/history/issuedOffers/0/voidedAt"),
                (issued(#""issuedAt":5,"released":true"#), "/history/issuedOffers/0/released"),
                (issued(#""issuedAt":5,"signings":0"#), "/history/issuedOffers/0/signings"),
                (issued(#""issuedAt":5,"state":"open""#), "/history/issuedOffers/0/state"),
                (issued(#""issuedAt":5,"productId":"yearly""#), "/history/issuedOffers/0/productId"),
                (
                    issued(#""issuedAt":5"#).replacingOccurrences(of: "comeback", with: "either"),
                    "/history/issuedOffers/0/productId"
                ),
                (
                    issued(#""issuedAt":5"#).replacingOccurrences(of: "comeback", with: "nothing"),
                    "/history/issuedOffers/0/offerId"
                ),
            ] {
                let answer = try await service.decide(body)
                #expect(answer.status == 400, "\(body): \(answer.text)")
                #expect(answer.code == "invalid-request")
                #expect(answer.pointers == [pointer], "\(body)")
            }
        }
    }

    private func quoted(_ text: String) throws -> String {
        String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    }
}
