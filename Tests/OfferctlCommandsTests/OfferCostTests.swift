import OfferModel
import OfferWords
import Testing

@Suite("text about the cost of an offer")
struct OfferCostTests {
    private static let perCustomer = Limit.perCustomer(count: 2, window: nil, across: .thisOffer)
    private static let windowed = Limit.perCustomer(count: 2, window: Period(days: 30), across: .all)
    private static func budget(_ milliunits: Int64, _ currency: String = "USD") -> Limit {
        .budget(Money(milliunits: milliunits, currency: currency))
    }

    /// - Parameter signatures: the signings of one use.
    private func offer(
        _ limits: [Limit], products: [ProductId] = ["monthly"], signatures: Int = 1,
        formats: [SignatureFormat] = [.v2], delivery: Delivery = .signature
    ) -> OfferCost {
        var offer = Offer(
            id: "a", type: .promotional, delivery: delivery, offerIdentifier: "a", products: products,
            paymentMode: .payAsYouGo, period: Period(months: 1), periodCount: 3,
            price: Money(milliunits: 4_990, currency: "USD"), limits: limits)
        offer.signaturesPerOffer = signatures
        offer.formats = formats
        let products = [("monthly", 1, 9_990), ("yearly", 12, 79_990)].map { name, months, price in
            Product(
                productId: ProductId(name), level: 1, period: Period(months: months),
                price: Money(milliunits: Int64(price), currency: "USD"))
        }
        return OfferCost(
            offer,
            in: Catalog(
                bundleId: "com.example.pro", subscriptionGroups: [SubscriptionGroup(id: "1", products: products)],
                offers: [offer]))
    }

    @Test("a use costs the regular price minus what is paid, on each product")
    func perUse() {
        // 3 × 9.99 - 3 × 4.99; a quarter of 79.99, rounded down to a thousandth, is 19.997.
        #expect(offer([]).perUse == "15.00 USD")
        #expect(offer([], products: ["monthly", "yearly"]).perUse == "15.00 USD (`monthly`) or 5.027 USD (`yearly`)")
        #expect(offer([], products: ["unlisted"]).perUse.hasPrefix("not known: "))
    }

    @Test(
        "the maximum is the smallest of budgets and totals, and none without one",
        arguments: [
            ([], "unlimited"), ([perCustomer], "unlimited; 30.00 USD per customer"),
            ([windowed], "unlimited; 30.00 USD per customer in any 30 days"),
            ([windowed, perCustomer], "unlimited; 30.00 USD per customer"),
            ([.perAccount(count: 1, window: nil)], "unlimited; 15.00 USD per app account"),
            (
                [.perAccount(count: 1, window: Period(days: 30))],
                "unlimited; 15.00 USD per app account in any 30 days"
            ),
            ([.total(count: 1_000)], "15000.00 USD, for 1000 uses"), ([.total(count: 1)], "15.00 USD, for 1 use"),
            ([budget(2_000_000)], "2000.00 USD, its budget"),
            ([budget(2_000_000), .total(count: 1_000)], "2000.00 USD, its budget"),
            ([budget(2_000_000), .total(count: 10), perCustomer], "150.00 USD, for 10 uses"),
            ([.total(count: .max)], "9223372036854775.807 USD, for 9223372036854775807 uses"),
        ] as [([Limit], String)])
    func maximum(_ limits: [Limit], _ words: String) {
        #expect(offer(limits).maximum == words)
    }

    @Test("where a use has several signatures, the maximum says how many times it can be redeemed")
    func signatures() {
        let several = "; up to 3 times that if every signature is used"
        #expect(offer([.total(count: 1_000)], signatures: 3).maximum == "15000.00 USD, for 1000 uses" + several)
        #expect(offer([Self.budget(2_000_000)], signatures: 3).maximum == "2000.00 USD, its budget" + several)
        #expect(
            offer([Self.perCustomer], signatures: 3).maximum
                == "unlimited; 30.00 USD per customer" + several)
        #expect(
            offer([.total(count: 1)], formats: [.v2, .v1]).maximum
                == "15.00 USD, for 1 use; up to 2 times that if every signature is used")
        #expect(offer([], signatures: 3).maximum == "unlimited")
        // Apple grants an introductory offer once, whatever was signed.
        #expect(
            offer([.total(count: 1)], signatures: 3, delivery: .introductoryEligibility).maximum
                == "15.00 USD, for 1 use")
    }

    @Test("of products that the catalog does not list only uses are counted")
    func unknown() {
        #expect(offer([.total(count: 10)], products: ["unlisted"]).maximum == "the cost of 10 uses")
        #expect(offer([Self.budget(5_000)], products: ["unlisted"]).maximum == "5.00 USD, its budget")
        #expect(offer([Self.perCustomer], products: ["unlisted"]).maximum == "unlimited")
    }
}
