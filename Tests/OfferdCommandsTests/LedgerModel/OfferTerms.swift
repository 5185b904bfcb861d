import OfferTestSupport

/// The terms of an offer of the model's catalog; lengths in hours, amounts in milliunits.
struct OfferTerms: Sendable {
    enum Across: Sendable, Hashable {
        case thisOffer
        case all
        case tag(String)
    }

    enum Limit: Sendable, Hashable {
        case customer(count: Int, hours: Int64?, across: Across)
        case total(Int)
        case spend(Int64)
    }

    var id: String
    var tags: [String] = []
    var formats = ["v2"]
    var signings = 3
    var limits: [Limit]
    var coolDownHours: Int64?
    var excludes: [String] = []

    /// Apple's name for it.
    var appleName: String { "apple-\(id)" }

    /// The cost of one use: three months at 9.99, of which the customer pays 4.99 each.
    static let cost: Int64 = 3 * (9_990 - 4_990)

    /// Four offers that have every kind of limit between them; how much each gives follows from the seed.
    static func four(_ random: inout SeededGenerator) -> [OfferTerms] {
        [
            OfferTerms(
                id: "once", formats: ["v1", "v2"], signings: .random(in: 1...3, using: &random),
                limits: [.customer(count: .random(in: 1...2, using: &random), hours: nil, across: .thisOffer)]),
            OfferTerms(
                id: "windowed", tags: ["comeback"], signings: .random(in: 2...4, using: &random),
                limits: [
                    .customer(
                        count: .random(in: 1...2, using: &random), hours: .random(in: 20...90, using: &random),
                        across: .thisOffer),
                    .customer(
                        count: .random(in: 2...4, using: &random), hours: .random(in: 40...200, using: &random),
                        across: .tag("comeback")),
                ]),
            OfferTerms(
                id: "resting", tags: ["comeback"],
                limits: [
                    .customer(count: .random(in: 3...7, using: &random), hours: nil, across: .tag("comeback")),
                    .customer(
                        count: .random(in: 2...5, using: &random), hours: .random(in: 10...60, using: &random),
                        across: .all),
                ],
                coolDownHours: .random(in: 5...70, using: &random)),
            OfferTerms(
                id: "scarce", signings: 2,
                limits: [
                    .customer(count: 2, hours: nil, across: .thisOffer),
                    .total(.random(in: 4...12, using: &random)),
                    .spend(cost * .random(in: 4...12, using: &random) + .random(in: 0...cost - 1, using: &random)),
                ],
                excludes: ["once"]),
        ]
    }
}

extension [OfferTerms] {
    /// The catalog that says so.
    var yaml: String {
        """
        bundleId: com.example.pro
        subscriptionGroups:
          - id: "21500001"
            products:
              - { productId: com.example.pro.monthly, level: 1, period: P1M, price: { amount: "9.99", currency: USD } }
        offers:

        """ + map(\.yaml).joined()
    }
}

extension OfferTerms {
    fileprivate var yaml: String {
        let coolDown = coolDownHours.map { "    coolDown: PT\($0)H\n" } ?? ""
        return """
              - id: \(id)
                type: promotional
                offerIdentifier: \(appleName)
                products: [com.example.pro.monthly]
                paymentMode: payAsYouGo
                period: P1M
                periodCount: 3
                price: { amount: "4.99", currency: USD }
                status: active
                tags: [\(tags.joined(separator: ", "))]
                limits: [\(limits.map(\.yaml).joined(separator: ", "))]
                excludes: [\(excludes.joined(separator: ", "))]
                formats: [\(formats.joined(separator: ", "))]
                signaturesPerOffer: \(signings)
            \(coolDown)
            """
    }
}

extension OfferTerms.Limit {
    fileprivate var yaml: String {
        switch self {
        case .customer(let count, let hours, let across):
            let window = hours.map { ", window: PT\($0)H" } ?? ""
            let offers =
                switch across {
                case .thisOffer: ""
                case .all: ", across: all"
                case .tag(let tag): ", across: \"tag:\(tag)\""
                }
            return "{ count: \(count), per: customer\(window)\(offers) }"
        case .total(let count): return "{ count: \(count) }"
        case .spend(let milliunits):
            let (units, rest) = milliunits.quotientAndRemainder(dividingBy: 1_000)
            let decimals = String(String(1_000 + rest).dropFirst())
            return "{ spend: \"\(units).\(decimals)\", currency: USD }"
        }
    }
}
