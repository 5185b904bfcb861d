import OfferModel
import Testing

/// Signed data in requests of `client` keys: what it changes about which customer an alias names.
@Suite("Signed data beside an alias")
struct SignedDataOfBackendsTests {
    @Test("renewal info alone, which names no app, leaves the customer to the alias")
    func renewalInfo() async throws {
        try await AppWorld.run { world in
            let client = try await world.service.token(.client)
            let members = #""signedRenewalInfo":[\#(world.mallory.renewalInfo)],"customer":{"customerId":"anna"}"#
            let decided = try await world.ask("/v1/decisions", members, token: client)
            #expect(decided.json["known"] as? Bool == true, "\(decided.text)")
            let issued = try await world.ask("/v1/issued-offers", #""offerId":"comeback",\#(members)"#, token: client)
            #expect(issued.status == 201, "\(issued.text)")
            #expect(try AppWorld.claims(issued)["transactionId"] as? String == "100")
        }
    }

    @Test("a transaction or an app transaction of an unknown customer is not decided as that of the alias")
    func unknownCustomer() async throws {
        try await AppWorld.run { world in
            let client = try await world.service.token(.client)
            for data in [
                #""signedTransactions":[\#(world.mallory.transactions)]"#,
                #""signedAppTransaction":\#(world.mallory.appTransaction)"#,
            ] {
                let decided = try await world.ask(
                    "/v1/decisions", #"\#(data),"customer":{"customerId":"anna"}"#, token: client)
                #expect(decided.json["known"] as? Bool == false, "\(decided.text)")
            }
        }
    }

    @Test("data that names no customer is not answered with the customer of the alias")
    func delivered() async throws {
        try await AppWorld.run { world in
            let client = try await world.service.token(.client)
            let named = #""customer":{"customerId":"anna"}"#
            let info = try await world.ask(
                "/v1/transactions",
                #""signedTransactions":[],"signedRenewalInfo":[\#(world.mallory.renewalInfo)],\#(named)"#, token: client
            )
            #expect(info.status == 200, "\(info.text)")
            #expect((info.json["customers"] as? [Any])?.isEmpty == true, "\(info.text)")
            let nothing = try await world.ask(
                "/v1/transactions", #""signedTransactions":[],"historyComplete":true,\#(named)"#, token: client)
            let customers = try #require(nothing.json["customers"] as? [[String: Any]], "\(nothing.text)")
            #expect(customers.map { $0["originalTransactionIds"] as? [String] } == [["100"]])
        }
    }

    @Test("a backend may bring more signed data than an app")
    func more() async throws {
        try await AppWorld.run { world in
            let many = Array(repeating: world.anna.appTransaction, count: 21).joined(separator: ",")
            let answer = try await world.ask(
                "/v1/decisions", #""signedTransactions":[\#(many)]"#, token: try await world.service.token(.client))
            #expect(answer.status == 422 && answer.code == "signed-data-refused", "\(answer.text)")
        }
    }
}
