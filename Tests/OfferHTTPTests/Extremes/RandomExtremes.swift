import Foundation
import OfferTestSupport

/// Random bodies of `POST /v1/decisions`: well-formed JSON around extreme numbers, dates, periods and texts, with
/// members missing, doubled in type or out of place. The same seed gives the same bodies.
struct RandomExtremes {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    static let numbers = [
        "0", "1", "-1", "2", "7", "12", "28", "29", "31", "365", "1000", "-1000", "86399999", "86400000", "2147483647",
        "2147483648", "-2147483648", "4294967296", "9007199254740991", "9007199254740992", "-9007199254740991",
        "253402300799999", "253402300800000", "-62135596800000", "1780000000000", "1779999999999", "1780000000001",
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e18", "1e19", "1e300", "1e400",
        "-1e300", "0.5", "-0.0", "1e-320", "1.7976931348623157e308",
    ]

    private static let accepted = numbers.filter { text in
        Int64(text).map { (0...253_402_300_799_999).contains($0) } ?? false
    }

    static let periods = [
        "P1M", "P1Y", "P1W", "P3D", "P100Y", "P1200M", "P36525D", "PT876600H", "P101Y", "P1000000Y", "P999999999Y",
        "P999999999M999999999W", "PT999999999H999999999M999999999S", "PT1S", "P0D", "P-1M", "P", "PT", "", "P1.5M",
    ]

    static let texts = [
        "monthly", "yearly", "trial", "comeback", "comeback50", "either10", "21500001", "com.example.pro", "1", "2", "",
        "PURCHASED", "FAMILY_SHARED", "FREE_TRIAL", "USD", "Auto-Renewable Subscription", "LocalTesting",
        "9999-12-31T23:59:59Z", "0000-01-01T00:00:00+23:59", "\\u0000", "\\ud83c\\udf81", "é",
    ]

    private static let dates = [
        "purchaseDate", "originalPurchaseDate", "expiresDate", "revocationDate", "signedDate", "renewalDate",
        "gracePeriodExpiresDate", "recentSubscriptionStartDate",
    ]
    private static let counts = [
        "quantity", "price", "offerType", "revocationReason", "revocationPercentage", "autoRenewStatus",
        "expirationIntent", "renewalPrice", "priceIncreaseStatus",
    ]
    private static let words = [
        "transactionId", "originalTransactionId", "bundleId", "productId", "subscriptionGroupIdentifier", "type",
        "environment", "currency", "offerIdentifier", "offerDiscountType", "inAppOwnershipType", "autoRenewProductId",
        "revocationType", "storefront",
    ]

    mutating func body() -> String {
        var members = ["\"history\":\(history())"]
        if flip(2) { members.append("\"asOf\":\(number())") }
        if flip(3) { members.append("\"signals\":{\(facts())}") }
        if flip(4) { members.append("\"catalogRevision\":\(number())") }
        if flip(3) { members.append("\"catalog\":\(quoted(catalog()))") }
        if flip(6) { members.append("\"offerIds\":[\(text())]") }
        if flip(6) { members.append("\"customer\":{\"customerId\":\(text())}") }
        if flip(8) { members.append("\"request\":{\"appVersion\":\"\(pick(Self.numbers))\",\"locale\":\(text())}") }
        return "{\(members.joined(separator: ","))}"
    }

    /// The body of `PUT /v1/customers/attributes`.
    mutating func attributes() -> String {
        #"{"customer":{"customerId":"a"},"attributes":{\#(facts())}}"#
    }

    private mutating func history() -> String {
        let transactions = list(upTo: 6) { $0.payload(kind: .transaction) }
        let renewals = list(upTo: 3) { $0.payload(kind: .renewalInfo) }
        let offers = flip(3) ? #","issuedOffers":[\#(list(upTo: 4) { $0.issuedOffer() })]"# : ""
        return #"{"transactions":[\#(transactions)],"renewalInfos":[\#(renewals)]\#(offers),"complete":\#(flip(2))}"#
    }

    private enum Kind {
        case transaction
        case renewalInfo
    }

    /// What every payload has is mostly right, so that most of what is odd is met by the evaluator and not by its
    /// reader.
    private mutating func payload(kind: Kind) -> String {
        let start = Int64.random(in: 1_700_000_000_000...1_780_000_000_000, using: &generator)
        let end = start + Int64.random(in: 0...10_000_000_000, using: &generator)
        var members = [
            "bundleId": "\"com.example.pro\"", "productId": flip(2) ? "\"monthly\"" : "\"yearly\"",
            "originalTransactionId": flip(2) ? "\"1\"" : "\"2\"", "environment": "\"LocalTesting\"",
            "signedDate": "\(flip(4) ? 0 : start)",
        ]
        if kind == .transaction {
            members["transactionId"] = "\"\(Int.random(in: 1...9, using: &generator))\""
            members["purchaseDate"] = "\(flip(4) ? Int64.random(in: 0...2, using: &generator) : start)"
            members["expiresDate"] = "\(flip(4) ? Int64.random(in: 0...2, using: &generator) : end)"
            members["subscriptionGroupIdentifier"] = "\"21500001\""
            members["type"] = "\"Auto-Renewable Subscription\""
            if flip(2) { members["offerType"] = "\(Int.random(in: 0...5, using: &generator))" }
            if flip(2) { members["offerIdentifier"] = "\"comeback50\"" }
        } else {
            members["autoRenewStatus"] = "\(Int.random(in: 0...1, using: &generator))"
        }
        if flip(2) { members["offerPeriod"] = "\"\(pick(flip(16) ? Self.periods : Array(Self.periods.prefix(8))))\"" }
        if flip(3) {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: members[pick(Self.dates)] = number()
            case 1: members[pick(Self.counts)] = number()
            case 2: members[pick(Self.words)] = text()
            default:
                members["commitmentInfo"] =
                    #"{"billingPeriodNumber":\#(number()),"totalBillingPeriods":\#(number()),"commitmentPrice":\#(number())}"#
            }
        }
        return "{\(members.sorted { $0.key < $1.key }.map { "\"\($0)\":\($1)" }.joined(separator: ","))}"
    }

    private mutating func issuedOffer() -> String {
        var members = [#""offerId":"comeback""#, "\"issuedAt\":\(flip(2) ? "1770000000000" : number())"]
        if flip(2) { members.append("\"expiresAt\":\(number())") }
        if flip(2) { members.append("\"signings\":\(number())") }
        if flip(3) { members.append("\"voidedAt\":\(number()),\"released\":\(flip(2))") }
        return "{\(members.joined(separator: ","))}"
    }

    private mutating func facts() -> String {
        (0..<Int.random(in: 0...4, using: &generator)).map { place in
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: #""s\#(place)":\#(number())"#
            case 1: #""s\#(place)":{"at":\#(number())}"#
            case 2: #""s\#(place)":{"amount":"\#(pick(Self.numbers))","currency":"USD"}"#
            default: #""s\#(place)":\#(text())"#
            }
        }.joined(separator: ",")
    }

    /// The test catalog with extremes in the place of some of its values.
    private mutating func catalog() -> String {
        var text = TestCatalog.yaml
        for (value, choices) in [
            ("P1M", Self.periods), ("\"9.99\"", Self.numbers), ("\"4.99\"", Self.numbers), ("3\n", Self.numbers),
            ("count: 1", Self.numbers), ("level: 1", Self.numbers),
        ] where flip(4) {
            guard let range = text.ranges(of: value).randomElement(using: &generator) else { continue }
            let choice = pick(choices)
            let written =
                value.hasPrefix("\"") ? "\"\(choice)\"" : value.hasPrefix("count") ? "count: \(choice)" : choice
            text.replaceSubrange(range, with: value.hasSuffix("\n") ? "\(choice)\n" : written)
        }
        guard flip(2) else { return text }
        let fact = pick([
            "subscription.daysSinceExpired", "subscription.daysUntilExpiry", "subscription.monthsSinceExpired",
            "subscription.paidMonths", "customer.daysSinceFirstPurchase", "customer.daysSinceLastOffer", "signals.s0",
        ])
        return text.replacing(
            "{ fact: subscription.state, in: [expired] }",
            with: "{ fact: \(fact), \(pick(["atLeast", "atMost", "is", "lessThan"])): \(pick(Self.numbers)) }")
    }

    private mutating func list(upTo most: Int, _ element: (inout RandomExtremes) -> String) -> String {
        var elements: [String] = []
        for _ in 0..<Int.random(in: 0...most, using: &generator) { elements.append(element(&self)) }
        return elements.joined(separator: ",")
    }

    /// Mostly one that is accepted somewhere.
    private mutating func number() -> String { pick(flip(4) ? Self.numbers : Self.accepted) }

    private mutating func text() -> String { "\"\(pick(Self.texts))\"" }

    private mutating func pick(_ choices: [String]) -> String {
        choices[Int.random(in: 0..<choices.count, using: &generator)]
    }

    /// True once in so many times.
    private mutating func flip(_ times: Int) -> Bool { Int.random(in: 0..<times, using: &generator) == 0 }

    private func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n"))\""
    }
}
