import Foundation
import OfferApplication
import Testing

@testable import OfferModel

@Suite("An app without a backend")
struct AppKeyTests {
    @Test("attack: it gets nothing, and nothing is stored or shown of another customer", arguments: AppAttack.all)
    func attack(_ attack: AppAttack) async throws {
        try await AppWorld.run { world in
            let members = try attack.members(world)
            let answer = try await world.ask(attack.path, members)
            #expect(answer.status == attack.status, "\(answer.text)")
            #expect(answer.code == attack.code, "\(answer.text)")
            for secret in ["app-100", "comeback50", "\"groups\""] where !members.contains(secret) {
                #expect(!answer.text.contains(secret), "\(answer.text)")
            }
            #expect(try world.service.rows("SELECT COUNT(*) FROM issued_offer") == [["0"]])
            if answer.code == "signed-data-refused" || answer.code == "unproven-customer" {
                #expect(try world.service.rows("SELECT COUNT(*) FROM customer") == [["1"]], "only Anna is known")
            }
            #expect(
                try world.service.rows("SELECT COUNT(*) FROM customer_alias WHERE value = 'anna'") == [["1"]])
        }
    }

    @Test("there are at least thirty attacks")
    func count() {
        #expect(AppAttack.all.count >= 30)
        #expect(Set(AppAttack.all.map(\.title)).count == AppAttack.all.count)
    }

    @Test("its customer need not be named: the signed data gets the offer, bound to the newest transaction")
    func issues() async throws {
        try await AppWorld.run { world in
            let answer = try await world.ask("/v1/issued-offers", #""offerId":"comeback",\#(world.anna.proof)"#)
            #expect(answer.status == 201, "\(answer.text)")
            #expect(try AppWorld.claims(answer)["transactionId"] as? String == "100")
            #expect((answer.json["signatures"] as? [String: Any])?.keys.sorted() == ["v2"])
            // The same again, by each identifier that the data proves, is no other use.
            for customer in [
                #""originalTransactionId":"100""#, #""appAccountToken":"\#(AppWorld.annasToken)""#,
                #""originalTransactionId":"100","appTransactionId":"app-100""#,
            ] {
                let again = try await world.ask(
                    "/v1/issued-offers",
                    #""offerId":"comeback","formats":["v2"],\#(world.anna.proof),"customer":{\#(customer)}"#)
                #expect(again.status == 200, "\(again.text)")
                #expect(again.body == answer.body)
            }
        }
    }

    @Test("a customer without purchases is proven by the app transaction, and a signature names their Apple account")
    func appTransactionAlone() async throws {
        try await AppWorld.run { world in
            let answer = try await world.ask(
                "/v1/decisions", #""signedAppTransaction":\#(world.anna.appTransaction),"offerIds":["comeback"]"#)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json["known"] as? Bool == true)
            let issued = try await world.ask(
                "/v1/issued-offers",
                #""offerId":"comeback","signedAppTransaction":\#(world.anna.appTransaction),"customer":{"appTransactionId":"app-100"}"#
            )
            #expect(issued.status == 201, "\(issued.text)")
            #expect(try AppWorld.claims(issued)["transactionId"] as? String == "app-100")
        }
    }

    @Test("decisions are made of the stored history, and tell an app as little as a backend")
    func decides() async throws {
        try await AppWorld.run { world in
            let offers = #""offerIds":["comeback","regular","trial","either"]"#
            let answer = try await world.ask("/v1/decisions", #"\#(world.anna.proof),\#(offers)"#)
            let client = try await world.service.ask(
                "POST", "/v1/decisions", token: try await world.service.token(.client),
                body:
                    #"{\#(offers),"customer":{"originalTransactionId":"100","appAccountToken":"\#(AppWorld.annasToken)"}}"#
            )
            #expect(answer.status == 200 && client.status == 200, "\(answer.text)")
            #expect(answer.body == client.body)
            #expect(answer.json["best"] as? String == "comeback", "\(answer.text)")
            // What the service has not seen yet decides nothing, and is not stored.
            let unseen = try await world.ask("/v1/decisions", world.mallory.proof)
            #expect(unseen.json["known"] as? Bool == false, "\(unseen.text)")
            #expect(try world.service.rows("SELECT COUNT(*) FROM customer") == [["1"]])
        }
    }

    @Test("the status is that of the proven customer, once for each item that names them")
    func status() async throws {
        try await AppWorld.run { world in
            let answer = try await world.ask("/v1/customers/status", world.anna.proof)
            let items = try #require(answer.json["items"] as? [[String: Any]], "\(answer.text)")
            #expect(items.count == 1 && items[0]["known"] as? Bool == true)
            #expect((items[0]["customer"] as? [String: String])?["originalTransactionId"] == "100")
            #expect((items[0]["groups"] as? [[String: Any]])?.first?["state"] as? String == "expired")
            let twice = try await world.ask(
                "/v1/customers/status",
                #"\#(world.anna.proof),"customers":[{"originalTransactionId":"100"},{"appTransactionId":"app-100"}]"#)
            #expect((twice.json["items"] as? [[String: Any]])?.count == 2, "\(twice.text)")
            // The app's backend may ask that way too, and with signed data for no other customer either.
            let client = try await world.service.token(.client)
            let asked = try await world.service.ask(
                "POST", "/v1/customers/status", token: client, body: "{\(world.anna.proof)}")
            #expect(asked.body == answer.body, "\(asked.text)")
            let other = try await world.service.ask(
                "POST", "/v1/customers/status", token: client,
                body: #"{\#(world.anna.proof),"customers":[{"originalTransactionId":"200"}]}"#)
            #expect(other.status == 403 && other.code == "unproven-customer", "\(other.text)")
        }
    }

    @Test("delivered data is stored, and the answer leaves out what the backend calls the customer")
    func delivers() async throws {
        try await AppWorld.run { world in
            let new = try await world.ask("/v1/transactions", world.mallory.proof)
            #expect(new.status == 200, "\(new.text)")
            #expect(new.text.contains(#""outcome":"added""#))
            let known = try await world.ask("/v1/transactions", world.anna.proof)
            let customers = try #require(known.json["customers"] as? [[String: Any]], "\(known.text)")
            #expect(customers.first?["originalTransactionIds"] as? [String] == ["100"])
            #expect(customers.first?["customerIds"] as? [String] == [] && !known.text.contains("anna"))
        }
    }

    @Test("a signal that the catalog lets an app state counts")
    func signals() async throws {
        try await AppWorld.run { world in
            let none = try await world.ask("/v1/issued-offers", #""offerId":"regular",\#(world.anna.proof)"#)
            #expect(none.status == 422, "\(none.text)")
            let few = try await world.ask(
                "/v1/issued-offers", #""offerId":"regular",\#(world.anna.proof),"signals":{"sessions":2}"#)
            #expect(few.status == 403 && few.code == "not-eligible", "\(few.text)")
            let enough = try await world.ask(
                "/v1/issued-offers", #""offerId":"regular",\#(world.anna.proof),"signals":{"sessions":3}"#)
            #expect(enough.status == 201, "\(enough.text)")
        }
    }

    @Test("attack: a captured JWS, replayed, gets an offer for the Apple account it is of, and no second use of it")
    func replay() async throws {
        try await AppWorld.run { world in
            let first = try await world.ask("/v1/issued-offers", #""offerId":"comeback",\#(world.anna.proof)"#)
            let body = #""offerId":"comeback","signedTransactions":["\#(try world.newest(world.anna))"]"#
            let replayed = try await world.ask("/v1/issued-offers", body)
            #expect(first.status == 201 && replayed.status == 200, "\(replayed.text)")
            #expect(replayed.body == first.body)
            #expect(try AppWorld.claims(replayed)["transactionId"] as? String == "100")
            #expect(try world.service.rows("SELECT COUNT(*) FROM issued_offer") == [["1"]])
        }
    }

    @Test("attack: one's own purchase with another customer's account token shows and gets nothing of hers")
    func stolenToken() async throws {
        try await AppWorld.run { world in
            let own = #""signedTransactions":[\#(try world.edited { $0["appAccountToken"] = AppWorld.annasToken })]"#
            let status = try await world.ask(
                "/v1/customers/status", #"\#(own),"customers":[{"appAccountToken":"\#(AppWorld.annasToken)"}]"#)
            #expect((status.json["items"] as? [[String: Any]])?.first?["known"] as? Bool == false, "\(status.text)")
            let decided = try await world.ask("/v1/decisions", own)
            #expect(decided.json["known"] as? Bool == false, "\(decided.text)")
            let delivered = try await world.ask("/v1/transactions", own)
            let customers = try #require(delivered.json["customers"] as? [[String: Any]], "\(delivered.text)")
            #expect(customers.map { $0["originalTransactionIds"] as? [String] } == [["200"]])
            #expect(!delivered.text.contains("anna"))
            let issued = try await world.ask("/v1/issued-offers", #""offerId":"comeback",\#(world.mallory.proof)"#)
            #expect(try AppWorld.claims(issued)["transactionId"] as? String == "200", "\(issued.text)")
        }
    }

    @Test("attack: asking about a customer without proof does not use up her rate")
    func rates() async throws {
        let limits = RateLimits(key: nil, customer: RateLimit(perSecond: 1, burst: 4), failedAuthentication: nil)
        try await AppWorld.run(rates: RequestRates(limits) { 0 }) { world in
            for _ in 0..<8 {
                let answer = try await world.ask(
                    "/v1/issued-offers", #""offerId":"comeback","customer":{"originalTransactionId":"100"}"#)
                #expect(answer.status == 403, "\(answer.text)")
            }
            #expect(try await world.ask("/v1/decisions", world.anna.proof).status == 200)
            // Her own data is limited as with any key.
            var last = 200
            for _ in 0..<8 { last = try await world.ask("/v1/decisions", world.anna.proof).status }
            #expect(last == 429)
        }
    }

    @Test("attack: an ended key and a key of Sandbox get nothing")
    func keys() async throws {
        try await AppWorld.run { world in
            let body = #""offerId":"comeback",\#(world.mallory.proof)"#
            let sandbox = try await world.service.token(.app, scope: ServiceFixture.otherEnvironment)
            let foreign = try await world.service.ask("POST", "/v1/issued-offers", token: sandbox, body: "{\(body)}")
            #expect(foreign.status == 422 && foreign.code == "signed-data-refused", "\(foreign.text)")
            let id = try #require(world.app.split(separator: "_").dropFirst(3).first)
            #expect(try await world.service.useCases.apiKeys.revoke(String(id)))
            #expect(try await world.ask("/v1/issued-offers", body).status == 401)
        }
    }
}
