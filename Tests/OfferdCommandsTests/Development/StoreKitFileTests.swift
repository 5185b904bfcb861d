import Foundation
import OfferDocuments
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferdCommands

/// Files as they are in public repositories, versions 3 to 5.
@Suite("StoreKit configuration files")
struct StoreKitFileTests {
    private static let upfront = #"{"billingPlanType": "BILLED_UPFRONT", "displayPrice": "143.99", "isEnabled": true}"#
    private static let monthly = """
        {"billingPlanType": "MONTHLY", "displayPrice": "14.99", "commitmentDisplayPrice": "179.88", "isEnabled": true}
        """

    /// One free offer, as the file has it.
    private static func free(_ period: String, _ plan: String?, _ more: String = "") -> String {
        let plan = plan.map { #", "billingPlanType": "\#($0)""# } ?? ""
        return #"{"internalID": "A1", "paymentMode": "free", "subscriptionPeriod": "\#(period)"\#(plan)\#(more)}"#
    }

    private static func named(_ id: String, _ plan: String?, _ period: String = "P1M") -> String {
        free(period, plan, #", "offerID": "\#(id)", "referenceName": "\#(id)""#)
    }

    /// The catalog of a file with one yearly subscription, and the notes about it.
    ///
    /// - Parameter members: of the subscription, beside what each has.
    private func catalog(
        _ members: String = "", group: String = "21000001"
    ) throws -> (catalog: Catalog, said: [String]) {
        let directory = try TemporaryDirectory()
        let separator = members.isEmpty ? "" : ","
        let path = try directory.write(
            """
            {
              "settings": {"_locale": "en_US"},
              "subscriptionGroups": [
                {
                  "id": "\(group)",
                  "subscriptions": [
                    {
                      "productID": "com.example.pro.yearly", "recurringSubscriptionPeriod": "P1Y",
                      "displayPrice": "143.99", "groupNumber": 1\(separator) \(members)
                    }
                  ]
                }
              ],
              "version": {"major": 5, "minor": 0}
            }
            """, to: "Store.storekit")
        var said: [String] = []
        let made = try StoreKitFile(path: path).catalog(for: "com.example.pro") { said.append($0) }
        // What is served is read again.
        return (try CatalogReader.read(CatalogWriter.yaml(made)).value, said)
    }

    private func money(_ milliunits: Int64) -> Money { Money(milliunits: milliunits, currency: "USD") }

    @Test(
        "a group has the identifier of the file, which Xcode signs with every purchase",
        arguments: ["reader-voice-group", "6F3A93AB", "21384721", "Premium Group", "com.example.group"])
    func groups(id: String) throws {
        #expect(try catalog(group: id).catalog.subscriptionGroups.map(\.id) == [SubscriptionGroupId(id)])
    }

    @Test(
        "equal lengths are one, and a price of a free offer says nothing",
        arguments: [
            ("P7D", "P1W", ""), ("P1W", "P1W", #", "displayPrice": "0.00""#), ("P14D", "P2W", ""), ("P3D", "P3D", ""),
            ("P12M", "P1Y", #", "displayPrice": """#), ("P1Y", "P1Y", #", "displayPrice": "4.99""#),
        ])
    func periods(written: String, read: String, more: String) throws {
        let (catalog, said) = try catalog(#""introductoryOffer": \#(Self.free(written, nil, more))"#)
        let offer = try #require(catalog.offers.first)
        #expect(offer.period == Period(read))
        #expect(offer.price == nil)
        #expect(offer.id == "com.example.pro.yearly.introductory")
        #expect(said.isEmpty)
    }

    @Test("the plans of a product are in the catalog, and each introductory offer belongs to its plan")
    func plans() throws {
        let (catalog, said) = try catalog(
            """
            "billingPlans": [\(Self.upfront), \(Self.monthly)],
            "introductoryOffers": [\(Self.free("P1W", "BILLED_UPFRONT")), \(Self.free("P1M", "MONTHLY"))],
            "adHocOffers": [\(Self.named("comeback", "MONTHLY")), \(Self.named("loyal", nil))]
            """)
        #expect(said.isEmpty)
        #expect(
            catalog.product("com.example.pro.yearly")?.product.billingPlans == [
                BillingPlan(type: .billedUpfront, price: money(143_990), commitmentPrice: money(143_990)),
                BillingPlan(type: .monthly, price: money(14_990), commitmentPrice: money(179_880)),
            ])
        #expect(
            catalog.offers.map(\.id) == [
                "com.example.pro.yearly.introductory", "com.example.pro.yearly.introductory.monthly", "comeback",
                "loyal",
            ])
        #expect(catalog.offers.map(\.billingPlan) == [.billedUpfront, .monthly, .monthly, .billedUpfront])
        #expect(catalog.offers.prefix(2).map(\.period) == [Period(days: 7), Period(months: 1)])
    }

    @Test("a product that is only billed up front lists no plans, and its price is that of the plan")
    func upfrontOnly() throws {
        let disabled = Self.monthly.replacing("true", with: "false")
        let unpriced = #"{"billingPlanType": "MONTHLY", "isEnabled": false}"#
        for plans in [Self.upfront, "\(Self.upfront), \(disabled)", "\(unpriced), \(Self.upfront)"] {
            let (catalog, said) = try catalog(
                #""billingPlans": [\#(plans)], "introductoryOffers": [\#(Self.free("P1W", "BILLED_UPFRONT"))]"#)
            #expect(said.isEmpty)
            #expect(catalog.product("com.example.pro.yearly")?.product.billingPlans == [])
            #expect(catalog.offers.map(\.billingPlan) == [nil])
        }
        let cheaper = try catalog(#""billingPlans": [\#(Self.upfront.replacing("143.99", with: "99.99"))]"#).catalog
        #expect(cheaper.product("com.example.pro.yearly")?.product.price == money(99_990))
    }

    @Test(
        "what a catalog cannot have is left out and said",
        arguments: [
            (
                #""billingPlans": [\#(upfront)], "introductoryOffers": [\#(free("P1M", "MONTHLY"))]"#,
                "`com.example.pro.yearly.introductory.monthly` of `com.example.pro.yearly` (billing plan: monthly with a "
                    + "12-month commitment) is left out: the product does not have that plan, or it is not enabled"
            ),
            (
                #""adHocOffers": [\#(named("comeback", "MONTHLY"))]"#,
                "`comeback` of `com.example.pro.yearly` (billing plan: monthly with a 12-month commitment) is left out: "
                    + "the product does not have that plan, or it is not enabled"
            ),
            (
                #""billingPlans": [\#(upfront), \#(monthly.replacing("MONTHLY", with: "WEEKLY"))]"#,
                "the billing plan `WEEKLY` of `com.example.pro.yearly` is left out: a catalog does not have it"
            ),
            (
                #""winbackOffers": [\#(named("back", "WEEKLY"))]"#,
                "`back` of `com.example.pro.yearly` (billing plan: WEEKLY) is left out: the product does not have that "
                    + "plan, or it is not enabled"
            ),
            (
                """
                "billingPlans": [\(upfront), \(monthly)],
                "adHocOffers": [\(named("comeback", "BILLED_UPFRONT")), \(named("comeback", "MONTHLY"))]
                """,
                "`comeback` of `com.example.pro.yearly` (billing plan: monthly with a 12-month commitment) is left out: "
                    + "its terms differ from those of `comeback` of `com.example.pro.yearly`, and a catalog has one "
                    + "offer of a name in a group"
            ),
            (
                #""introductoryOffers": [\#(free("P1W", nil)), \#(free("P1M", "BILLED_UPFRONT"))]"#,
                "another `com.example.pro.yearly.introductory` of `com.example.pro.yearly` is left out: a billing plan "
                    + "has one introductory offer"
            ),
            (
                #""introductoryOffer": \#(free("P1M", nil)), "introductoryOffers": [\#(free("P1W", nil))]"#,
                "another `com.example.pro.yearly.introductory` of `com.example.pro.yearly` is left out: a billing plan "
                    + "has one introductory offer"
            ),
        ] as [(String, String)])
    func leftOut(members: String, sentence: String) throws {
        #expect(try catalog(members).said == [sentence])
    }

    @Test(
        "an offer that a file says twice is one",
        arguments: [
            #""introductoryOffer": \#(free("P1W", nil)), "introductoryOffers": [\#(free("P7D", "BILLED_UPFRONT"))]"#
                .replacing("P7D", with: "P1W"),
            #""introductoryOffer": \#(free("P1W", nil)), "introductoryOffers": []"#,
            #""introductoryOffer": null, "introductoryOffers": [\#(free("P1W", nil))]"#,
            #""adHocOffers": [\#(named("a", nil, "P1W")), \#(named("a", "BILLED_UPFRONT", "P1W"))]"#,
        ])
    func saidTwice(members: String) throws {
        let (catalog, said) = try catalog(members)
        #expect(catalog.offers.map(\.period) == [Period(days: 7)])
        #expect(catalog.offers.map(\.products) == [["com.example.pro.yearly"]])
        #expect(said.isEmpty)
    }

    @Test("an offer of two products is one, also if only one of them has billing plans")
    func sharedOffer() throws {
        let other = #"{"productID": "monthly", "recurringSubscriptionPeriod": "P1M", "displayPrice": "19.99", "#
        let offers = #""adHocOffers": [\#(Self.named("comeback", nil))]"#
        let (catalog, said) = try catalog(
            #""billingPlans": [\#(Self.upfront), \#(Self.monthly)], \#(offers)}, \#(other)\#(offers)"#)
        #expect(catalog.offers.map(\.products) == [["com.example.pro.yearly", "monthly"]])
        #expect(catalog.offers.map(\.billingPlan) == [.billedUpfront])
        #expect(said.isEmpty)
    }

    @Test("an identifier that is no id of a catalog gives an offer an id all the same")
    func ids() throws {
        let long = String(repeating: "x", count: 60) + ".-tail"
        let (catalog, _) = try catalog(
            #""adHocOffers": [\#(Self.named("_summer", nil)), \#(Self.named(long, nil))]"#)
        #expect(catalog.offers.map(\.id) == ["summer", OfferId(String(long.suffix(64)))])
        #expect(catalog.offers.map(\.offerIdentifier) == ["_summer", OfferIdentifier(long)])
    }
}
