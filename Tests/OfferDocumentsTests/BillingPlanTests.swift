import OfferModel
import OfferTestSupport
import Testing

@testable import OfferDocuments

/// Apple: "Supporting monthly subscriptions with a 12-month commitment". A one-year product may have the plan too, and
/// offers of every type are specific to a plan.
@Suite("Billing plans in a catalog")
struct BillingPlanTests {
    private static let monthly = #"{ type: monthly, price: { amount: "14.99", currency: USD } }"#

    /// - Parameters:
    ///   - plans: the line of the yearly product.
    ///   - offer: lines of the offer.
    private func catalog(_ plans: String?, offer: String = "", products: String = "yearly") -> String {
        """
        bundleId: com.example.pro
        subscriptionGroups:
          - id: "21500001"
            products:
              - productId: yearly
                level: 1
                period: P1Y
                price: { amount: "143.99", currency: USD }
        \(plans.map { "        billingPlans: \($0)" } ?? "")
              - { productId: monthly, level: 1, period: P1M, price: { amount: "19.99", currency: USD } }
        offers:
          - id: trial
            type: introductory
            products: [\(products)]
            paymentMode: freeTrial
            period: P1M
            periodCount: 1
            status: active
            limits: [ { count: 1, per: customer } ]
        \(offer)

        """
    }

    private func money(_ milliunits: Int64) -> Money { Money(milliunits: milliunits, currency: "USD") }

    @Test("a commitment costs 12 payments unless stated otherwise, and what is billed up front is the product's price")
    func prices() throws {
        let read = try CatalogReader.read(catalog("[ { type: billedUpfront }, \(Self.monthly) ]"))
        #expect(read.warnings.isEmpty)
        let product = try #require(read.value.product("yearly")?.product)
        #expect(
            product.billingPlans == [
                BillingPlan(type: .billedUpfront, price: money(143_990), commitmentPrice: money(143_990)),
                BillingPlan(type: .monthly, price: money(14_990), commitmentPrice: money(179_880)),
            ])
        let stated = Self.monthly.replacing("} }", with: #"}, commitmentPrice: { amount: "179.88", currency: USD } }"#)
        let whole = #"[ { type: billedUpfront, price: { amount: "143.99", currency: USD } }, \#(stated) ]"#
        #expect(try CatalogReader.read(catalog(whole)).value == read.value)
        let other = try CatalogReader.read(catalog("[ \(stated.replacing("179.88", with: "150.00")) ]"))
        #expect(other.value.product("yearly")?.product.billingPlans.first?.commitmentPrice == money(150_000))
        #expect(other.warnings.map(\.code) == [.unusualTerms])
        #expect(other.warnings.first?.detail == "12 payments of 14.99 USD are 179.88 USD, not 150.00 USD")
        #expect(other.warnings.first?.path.hasSuffix("billingPlans[0].commitmentPrice") == true)
    }

    @Test(
        "an offer belongs to one plan: the stated one, else the one billed up front, else the only one",
        arguments: [
            (nil, "", "yearly", nil), ("[ { type: billedUpfront } ]", "", "yearly", .billedUpfront),
            (nil, "    billingPlan: billedUpfront", "yearly", .billedUpfront),
            ("[ { type: billedUpfront }, \(monthly) ]", "", "yearly", .billedUpfront),
            ("[ \(monthly), { type: billedUpfront } ]", "", "yearly", .billedUpfront),
            ("[ \(monthly) ]", "", "yearly", .monthly),
            ("[ \(monthly), { type: billedUpfront } ]", "    billingPlan: monthly", "yearly", .monthly),
            ("[ \(monthly), { type: billedUpfront } ]", "", "yearly, monthly", .billedUpfront),
            ("[ \(monthly) ]", "", "monthly", nil),
        ] as [(String?, String, String, BillingPlanType?)])
    func ofOffer(plans: String?, line: String, products: String, expected: BillingPlanType?) throws {
        let read = try CatalogReader.read(catalog(plans, offer: line, products: products))
        #expect(read.value.offers.first?.billingPlan == expected)
        #expect(read.warnings.isEmpty)
    }

    @Test("a written catalog is read back as the same one, and writing again changes nothing")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 11)
        for round in 0..<200 {
            var plans = [BillingPlan(type: .billedUpfront, price: money(143_990), commitmentPrice: money(143_990))]
            let payment = money(.random(in: 1...20_000, using: &generator))
            plans.append(
                BillingPlan(
                    type: .monthly, price: payment,
                    commitmentPrice: Bool.random(using: &generator)
                        ? BillingPlan.commitmentPrice(of: payment) : money(.random(in: 1...99, using: &generator))))
            var catalog = try CatalogReader.read(self.catalog(nil)).value
            let kept = plans.filter { _ in Bool.random(using: &generator) }.shuffled(using: &generator)
            catalog.subscriptionGroups[0].products[0].billingPlans = kept
            catalog.offers[0].billingPlan = kept.randomElement(using: &generator)?.type
            for text in [CatalogWriter.yaml(catalog), CatalogWriter.json(catalog)] {
                let read = try CatalogReader.read(Array(text.utf8)).value
                #expect(read == catalog, "seed \(generator.seed), round \(round)\n\(text)")
            }
        }
    }

    @Test("two introductory offers of a product, one for each plan, are accepted")
    func onePerPlan() throws {
        let second = """
              - id: monthly-trial
                type: introductory
                products: [yearly]
                billingPlan: monthly
                paymentMode: freeTrial
                period: P1W
                periodCount: 1
                status: active
                limits: [ { count: 1, per: customer } ]
            """
        let text = catalog("[ { type: billedUpfront }, \(Self.monthly) ]", offer: second)
        #expect(try CatalogReader.read(text).value.offers.map(\.billingPlan) == [.billedUpfront, .monthly])
    }

    @Test("an offer of the plan `monthly` is billed every month, whatever the length of its product")
    func paidMonthly() throws {
        let second = { (period: String) in
            """
              - id: half
                type: promotional
                offerIdentifier: half
                products: [yearly]
                billingPlan: monthly
                paymentMode: payAsYouGo
                period: \(period)
                periodCount: 3
                price: { amount: "7.49", currency: USD }
                status: active
                limits: [ { count: 1, per: customer } ]
            """
        }
        let plans = "[ { type: billedUpfront }, \(Self.monthly) ]"
        #expect(try CatalogReader.read(catalog(plans, offer: second("P1M"))).warnings.isEmpty)
        let yearly = try CatalogReader.read(catalog(plans, offer: second("P1Y")))
        #expect(yearly.warnings.map(\.code) == [.unusualTerms])
        #expect(yearly.warnings.first?.detail == "pay as you go is billed every `P1M` for `yearly`, not `P1Y`")
    }

    @Test(
        "a subscription group has any identifier that a StoreKit configuration file can have",
        arguments: [
            ("21500001", true), ("6F3A93AB", true), ("reader-voice-group", true), ("premium_group", true),
            ("com.example.pro.group", true), ("Premium Group", true), ("8F1F0A52-5B1D-4A5E-9E0C-0D6D2B7A1E11", true),
            ("プレミアム", true), (String(repeating: "g", count: 64), true), (String(repeating: "g", count: 65), false),
            ("", false), (" group", false), ("group ", false), ("a\tb", false), ("a\u{200B}b", false),
        ])
    func groups(id: String, isAccepted: Bool) throws {
        var catalog = try CatalogReader.read(self.catalog(nil)).value
        catalog.subscriptionGroups[0].id = SubscriptionGroupId(id)
        let text = CatalogWriter.yaml(catalog)
        guard isAccepted else {
            let invalid = try #require(throws: InvalidDocument.self) { try CatalogReader.read(text) }
            #expect(invalid.errors.map(\.path) == ["subscriptionGroups[0].id"])
            return
        }
        #expect(try CatalogReader.read(text).value == catalog)
    }
}
