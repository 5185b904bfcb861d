import Foundation
import LocalAppStore
import OfferModel
import OfferTestSupport
import Testing

/// Signed data proves one customer if each part of it shares a purchase or an Apple Account with another part.
@Suite("Signed data of one customer")
struct AppLinkedDataTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let title: String
        /// The purchase of each transaction, and the Apple Account that it names.
        let transactions: [(purchase: String, account: String?)]
        var appTransaction: String?
        let isProven: Bool

        var testDescription: String { title }
    }

    static let cases = [
        Case(
            title: "one purchase that Apple moved to another account", transactions: [("200", "A"), ("200", "B")],
            isProven: true),
        Case(
            title: "one purchase, signed before Apple named accounts and after",
            transactions: [("200", nil), ("200", "A")], isProven: true),
        Case(title: "two purchases of one account", transactions: [("200", "A"), ("300", "A")], isProven: true),
        Case(
            title: "a chain of two purchases and two accounts",
            transactions: [("300", "B"), ("200", "A"), ("200", "B")], isProven: true),
        Case(
            title: "a longer chain, its middle last",
            transactions: [("200", "A"), ("400", "C"), ("300", "B"), ("300", "C"), ("200", "B")], isProven: true),
        Case(
            title: "an app transaction of the second account", transactions: [("200", "A"), ("200", "B")],
            appTransaction: "B", isProven: true),
        Case(
            title: "a purchase that names no account, twice", transactions: [("200", nil), ("200", nil)], isProven: true
        ),
        Case(title: "two purchases of two accounts", transactions: [("200", "A"), ("300", "B")], isProven: false),
        Case(
            title: "two purchases, one of which names no account", transactions: [("200", "A"), ("300", nil)],
            isProven: false),
        Case(
            title: "two purchases that name no account", transactions: [("200", nil), ("300", nil)], isProven: false),
        Case(
            title: "a chain, and a purchase beside it", transactions: [("200", "A"), ("200", "B"), ("300", "C")],
            isProven: false),
        Case(
            title: "two chains", transactions: [("200", "A"), ("200", "B"), ("300", "C"), ("300", "D")],
            isProven: false),
        Case(
            title: "an app transaction of a third account", transactions: [("200", "A"), ("200", "B")],
            appTransaction: "C", isProven: false),
        Case(
            title: "an app transaction beside a purchase that names no account", transactions: [("200", nil)],
            appTransaction: "A", isProven: false),
    ]

    @Test("linked data proves one customer, in any order, and other data proves none", arguments: cases)
    func linked(_ expected: Case) async throws {
        try await AppWorld.run { world in
            for isReversed in [false, true] {
                let order = isReversed ? Array(expected.transactions.reversed()) : expected.transactions
                let transactions = try order.enumerated().map { place, transaction in
                    try world.edited {
                        $0["transactionId"] = "\(transaction.purchase)0\(place)"
                        $0["originalTransactionId"] = transaction.purchase
                        $0["appTransactionId"] = transaction.account
                    }
                }
                var members = #""signedTransactions":[\#(transactions.joined(separator: ","))]"#
                if let account = expected.appTransaction {
                    members += #","signedAppTransaction":"\#(try world.appTransaction(of: account))""#
                }
                let decided = try await world.ask("/v1/decisions", members)
                #expect(decided.status == (expected.isProven ? 200 : 403), "\(decided.text)")
                #expect(decided.code == (expected.isProven ? nil : "unproven-customer"), "\(decided.text)")
                let status = try await world.ask("/v1/customers/status", members)
                #expect(status.status == (expected.isProven ? 200 : 403), "\(status.text)")
                let delivered = try await world.ask("/v1/transactions", members)
                #expect(delivered.status == (expected.isProven ? 200 : 403), "\(delivered.text)")
                guard expected.isProven else { continue }
                let customers = try #require(delivered.json["customers"] as? [[String: Any]], "\(delivered.text)")
                #expect(customers.count == 1, "\(delivered.text)")
                let purchases = Set(expected.transactions.map(\.purchase)).sorted()
                #expect(customers.first?["originalTransactionIds"] as? [String] == purchases)
                let accounts = Set(
                    expected.transactions.compactMap(\.account) + [expected.appTransaction].compactMap(\.self))
                let shown = customers.first?["appTransactionId"] as? String
                #expect(shown.map(accounts.contains) ?? accounts.isEmpty, "\(delivered.text)")
            }
        }
    }

    @Test("an offer is issued to the customer of a purchase under two accounts, by either, and no other account's name")
    func issued() async throws {
        try await AppWorld.run { world in
            let (first, second) = (try world.edited { $0["appTransactionId"] = "A" }, try world.newest(world.mallory))
            let data =
                #""offerId":"comeback","signedTransactions":[\#(first),"\#(second)"],"signedRenewalInfo":[\#(world.mallory.renewalInfo)]"#
            let issued = try await world.ask("/v1/issued-offers", data)
            #expect(issued.status == 201, "\(issued.text)")
            for account in ["A", "app-200"] {
                let again = try await world.ask(
                    "/v1/issued-offers", #"\#(data),"customer":{"appTransactionId":"\#(account)"}"#)
                #expect([200, 201].contains(again.status), "\(account): \(again.text)")
                #expect(again.json["issuedOfferId"] as? String == issued.json["issuedOfferId"] as? String)
            }
            let other = try await world.ask("/v1/issued-offers", #"\#(data),"customer":{"appTransactionId":"app-100"}"#)
            #expect(other.status == 403 && other.code == "unproven-customer", "\(other.text)")
        }
    }

    // MARK: Data that is of no use

    enum Route: String, CaseIterable, Sendable {
        case decisions = "/v1/decisions"
        case status = "/v1/customers/status"
        case transactions = "/v1/transactions"
        case issue = "/v1/issued-offers"

        var offer: String { self == .issue ? #""offerId":"comeback","# : "" }
    }

    private static func ignored(_ answer: RawAnswer) -> [String] {
        (answer.json["ignored"] as? [[String: String]] ?? []).compactMap { $0["member"] }
    }

    @Test(
        "an app transaction without an id is ignored and named where the rest proves the customer",
        arguments: Route.allCases, [Role.app, .client])
    func unnamed(_ route: Route, _ role: Role) async throws {
        try await AppWorld.run { world in
            let token = try await world.service.token(role)
            let proof =
                #""signedTransactions":[\#(world.mallory.transactions)],"signedRenewalInfo":[\#(world.mallory.renewalInfo)]"#
            let complete = role == .client && route != .decisions && route != .status ? #","historyComplete":true"# : ""
            for jws in [
                try world.appTransaction(of: nil),
                try world.appTransaction(of: nil, more: #""appTransactionId":null,"#),
            ] {
                let answer = try await world.ask(
                    route.rawValue, #"\#(route.offer)\#(proof),"signedAppTransaction":"\#(jws)"\#(complete)"#,
                    token: token)
                #expect([200, 201].contains(answer.status), "\(answer.text)")
                #expect(Self.ignored(answer) == ["signedAppTransaction"], "\(answer.text)")
                #expect(answer.text.contains("has no `appTransactionId`"), "\(answer.text)")
                if route == .transactions {
                    let results = answer.json["results"] as? [[String: Any]] ?? []
                    #expect(results.last?["outcome"] as? String == "ignored", "\(answer.text)")
                    // It hides nothing, so the history that a backend vouches for stays complete.
                    let customers = answer.json["customers"] as? [[String: Any]]
                    let status = customers?.first?["status"] as? [String: Any]
                    let level = (status?["coverage"] as? [String: Any])?["level"] as? String
                    #expect(level == (role == .client ? "complete" : "partial"), "\(answer.text)")
                }
            }
        }
    }

    @Test(
        "an app transaction without an id that alone was to prove the customer is refused, and says what to send",
        arguments: Route.allCases, [Role.app, .client])
    func unnamedAlone(_ route: Route, _ role: Role) async throws {
        try await AppWorld.run { world in
            let token = try await world.service.token(role)
            let empty = route == .transactions ? #""signedTransactions":[],"# : ""
            let answer = try await world.ask(
                route.rawValue,
                #"\#(route.offer)\#(empty)"signedAppTransaction":"\#(try world.appTransaction(of: nil))""#,
                token: token)
            #expect(answer.status == 422 && answer.code == "signed-data-refused", "\(answer.text)")
            #expect(answer.errors.first?["pointer"] as? String == "/signedAppTransaction", "\(answer.text)")
            #expect((answer.json["hint"] as? String)?.contains("`signedTransactions`") == true, "\(answer.text)")
        }
    }

    @Test(
        "a backend that names the customer is answered without it", arguments: [Route.decisions, .status, .issue])
    func unnamedBesideName(_ route: Route) async throws {
        try await AppWorld.run { world in
            let name = #"{"customerId":"anna"}"#
            let customer = route == .status ? #""customers":[\#(name)]"# : #""customer":\#(name)"#
            let answer = try await world.ask(
                route.rawValue,
                #"\#(route.offer)\#(customer),"signedAppTransaction":"\#(try world.appTransaction(of: nil))""#,
                token: try await world.service.token(.client))
            #expect([200, 201].contains(answer.status), "\(answer.text)")
            #expect(Self.ignored(answer) == ["signedAppTransaction"], "\(answer.text)")
        }
    }

    @Test(
        "attack: what is false is refused, with an id or without", arguments: Route.allCases,
        ["another root", "another app", "another environment", "the future"])
    func falseData(_ route: Route, _ kind: String) async throws {
        try await AppWorld.run { world in
            let stranger = try LocalRoot.make(now: ServiceFixture.start)
            let later = world.service.clock.now.adding(milliseconds: Instant.Duration.hour)
            let jws =
                switch kind {
                case "another root": try world.appTransaction(of: nil, signedBy: stranger)
                case "another app": try world.appTransaction(of: nil, bundleId: "com.example.other")
                case "another environment": try world.appTransaction(of: nil, environment: "Sandbox")
                default: try world.appTransaction(of: nil, at: later)
                }
            let answer = try await world.ask(
                route.rawValue,
                #"\#(route.offer)"signedTransactions":[\#(world.mallory.transactions)],"signedAppTransaction":"\#(jws)""#
            )
            #expect(answer.status == 422 && answer.code == "signed-data-refused", "\(answer.text)")
            #expect(try world.service.rows("SELECT COUNT(*) FROM customer") == [["1"]], "only Anna is known")
        }
    }

    @Test("a refusal names what was ignored too")
    func refusal() async throws {
        try await AppWorld.run { world in
            let members =
                #""signedTransactions":[\#(world.mallory.transactions)],"signedAppTransaction":"\#(try world.appTransaction(of: nil))""#
            for offer in ["regular", "unbound", "trial"] {
                let answer = try await world.ask("/v1/issued-offers", #""offerId":"\#(offer)",\#(members)"#)
                #expect([403, 422].contains(answer.status), "\(answer.text)")
                #expect(Self.ignored(answer) == ["signedAppTransaction"], "\(answer.text)")
            }
        }
    }

    @Test(
        "renewal info of a subscription that no transaction names is ignored, and is not stored",
        arguments: Route.allCases)
    func renewalInfo(_ route: Route) async throws {
        try await AppWorld.run { world in
            let own = world.mallory.renewalInfo
            let unlinked = try world.service.edited(String(world.anna.renewalInfo.dropFirst().dropLast())) {
                $0["originalTransactionId"] = "999"
                $0["appTransactionId"] = nil
            }
            let answer = try await world.ask(
                route.rawValue,
                #"\#(route.offer)"signedTransactions":[\#(world.mallory.transactions)],"signedRenewalInfo":[\#(own),"\#(unlinked)"]"#
            )
            #expect([200, 201].contains(answer.status), "\(answer.text)")
            #expect(Self.ignored(answer) == ["signedRenewalInfo[1]"], "\(answer.text)")
            #expect(try world.service.rows("SELECT COUNT(*) FROM customer_identifier WHERE value = '999'") == [["0"]])
        }
    }

    @Test(
        "attack: renewal info that names another Apple account is that of another customer", arguments: Route.allCases)
    func foreignRenewalInfo(_ route: Route) async throws {
        try await AppWorld.run { world in
            let foreign = try world.service.edited(String(world.anna.renewalInfo.dropFirst().dropLast())) {
                $0["appTransactionId"] = "app-100"
            }
            let answer = try await world.ask(
                route.rawValue,
                #"\#(route.offer)"signedTransactions":[\#(world.mallory.transactions)],"signedRenewalInfo":["\#(foreign)"]"#
            )
            #expect(answer.status == 403 && answer.code == "unproven-customer", "\(answer.text)")
        }
    }
}
