import OfferModel
import Testing

@testable import OfferDocuments

private typealias Typed = [OfferEntry.Field: String]

@Suite("A new offer from a form")
struct OfferEntryTests {
    private static let head = """
        # the shop's offers
        bundleId: com.example.pro
        subscriptionGroups:
          - id: "21500001" # Pro
            products:
              - { productId: monthly, level: 1, period: P1M, price: { amount: "9.99", currency: USD } }
              - { productId: yearly, level: 1, period: P1Y, price: { amount: "79.99", currency: USD } }

        """
    private static let first = """
        offers:
          # the first of them
          - id: first
            type: introductory
            products: [monthly]
            paymentMode: freeTrial
            period: P1W
            periodCount: 1
            status: draft # until spring
            limits: []
            # priority: 3

        # that is all

        """
    private static let entry: Typed = [
        .id: "half", .type: "promotional", .offerIdentifier: "half_price", .products: "monthly",
        .paymentMode: "payAsYouGo",
        .period: "P1M", .periodCount: "3", .price: "4.99", .perCustomer: "1", .status: "active",
    ]

    private func added(_ entry: Typed, to text: String = head + first) throws -> String {
        try #require(try OfferEntry(entry).added(to: text))
    }

    private func last(_ entry: Typed, to text: String = head + first) throws -> Offer {
        let old = try CatalogReader.read(text).value
        let new = try CatalogReader.read(try added(entry, to: text)).value
        var others = new
        let offer = try #require(others.offers.last)
        others.offers.removeLast()
        #expect(others == old, "the rest of the catalog stays")
        return offer
    }

    @Test("goes behind the last offer, before the comments after it, and nothing else of the text changes")
    func place() throws {
        let lines = """
              - id: half
                type: promotional
                offerIdentifier: half_price
                products: [monthly]
                paymentMode: payAsYouGo
                period: P1M
                periodCount: 3
                price: { amount: "4.99", currency: USD }
                status: active
                limits:
                  - { count: 1, per: customer }

            """
        let all = Self.head + Self.first
        let end = try #require(all.firstRange(of: "    # priority: 3\n")).upperBound
        #expect(try added(Self.entry) == all[..<end] + lines + all[end...])
    }

    @Test("is what was typed")
    func typed() throws {
        let more: Typed = [
            .products: "monthly\nyearly",
            .eligibility: "subscription.state in [expired, revoked] and signals.visits atLeast 3",
            .total: "500", .budget: "280.00", .starts: "2026-12-01T00:00:00Z", .ends: "2026-12-24T00:00:00+01:00",
        ]
        let offer = try last(Self.entry.merging(more) { $1 })
        #expect(offer.id == "half" && offer.type == .promotional && offer.offerIdentifier == "half_price")
        #expect(offer.products == ["monthly", "yearly"])
        #expect(offer.paymentMode == .payAsYouGo && offer.period == Period(months: 1) && offer.periodCount == 3)
        #expect(offer.price == Money(milliunits: 4_990, currency: "USD") && offer.status == .active)
        #expect(offer.starts == Instant(iso8601: "2026-12-01T00:00:00Z"))
        #expect(offer.ends == Instant(iso8601: "2026-12-23T23:00:00Z"))
        let budget = Money(milliunits: 280_000, currency: "USD")
        #expect(
            offer.limits == [
                .perCustomer(count: 1, window: nil, across: .thisOffer), .total(count: 500), .budget(budget),
            ])
        #expect(
            offer.eligibility.map(ConditionText.line)
                == "subscription.state in [expired, revoked] and signals.visits atLeast 3")
    }

    /// Ways to write `offers`, each with whether the form can add to it.
    private static let lists: [(text: String, isAddedTo: Bool)] = [
        ("offers: []\n", true), ("offers: [ ]   # none yet\n", true), ("offers: []", true),
        (first.replacing("\n  ", with: "\n"), true), (first + "appSignals: [visits]\n", true),
        (first.replacing("\n    ", with: "\n          ").replacing("  - id", with: "  -       id"), true),
        (first.replacing("\n", with: "\r\n"), true), (String(first.dropLast(16)), true),
        ("offers: [\n]\n", false), (#"offers: [ # none"# + "\n]\n", false),
        (
            "offers: [ { id: a, type: introductory, products: [monthly], paymentMode: freeTrial, period: P1W, "
                + "periodCount: 1, status: draft, limits: [] } ]\n", false
        ),
    ]

    @Test(
        "is added to a list however it is indented, and to an empty one; to one in brackets it is not", arguments: lists
    )
    func forms(_ text: String, _ isAddedTo: Bool) throws {
        guard isAddedTo else {
            #expect(try OfferEntry(Self.entry).added(to: Self.head + text) == nil)
            return
        }
        #expect(try last(Self.entry, to: Self.head + text).id == "half")
        #expect(try last(Self.entry, to: text + "\n" + Self.head).id == "half", "the offers come first")
        let twice = try added(Self.entry, to: Self.head + text)
        #expect(
            try last(Self.entry.merging([.id: "other", .offerIdentifier: "other"]) { $1 }, to: twice).id == "other")
    }

    private static let values = [
        "a\n  - id: b", "a: b", "a #b", #"""#, "'", #"a", status: "active"#, "*anchor", "&anchor a", "!tag", "{}", "[a",
        "- a", "|",
        "%YAML 1.1", "---", "...", "? a", "<<", "\u{0}", "\u{85}b", "\u{2028}b", "a\u{301}", "\u{600}\"", "😀", "\\",
        "\\n",
        "null", "~", "true", "0x10", "1e3", "", " ", String(repeating: "a", count: 10_000),
        String(repeating: "\n", count: 10_000),
    ]

    @Test("takes no value for anything but that value of its own field", arguments: values, OfferEntry.Field.allCases)
    func hostile(_ value: String, _ field: OfferEntry.Field) throws {
        let entry = Self.entry.merging([field: value]) { $1 }
        let old = try CatalogReader.read(Self.head + Self.first).value
        do {
            let text = try added(entry)
            var new = try CatalogReader.read(text).value
            let offer = try #require(new.offers.last)
            new.offers.removeLast()
            #expect(new == old)
            var expected = try last(Self.entry)
            switch field {
            case .id: expected.id = OfferId(value)
            case .offerIdentifier: expected.offerIdentifier = OfferIdentifier(value)
            // A condition in one line has a grammar of its own.
            case .eligibility: expected.eligibility = offer.eligibility
            case .perCustomer where value.isEmpty: expected.limits = []
            case .starts, .ends, .total, .budget: #expect(value.isEmpty)
            default: Issue.record("`\(field)` took \(value.debugDescription)")
            }
            #expect(offer == expected, "\(value.debugDescription)")
        } catch let refusal as OfferEntry.Refusal {
            #expect(!refusal.issues.isEmpty && refusal.issues.allSatisfy { !$0.path.isEmpty && !$0.detail.isEmpty })
            #expect(refusal.issues.allSatisfy { $0.detail.utf8.count < 2_000 })
        }
    }

    private static let wrong: [(entry: Typed, path: String, detail: String)] = [
        ([.id: "first"], "id", "offer `first` is given twice"), ([.id: ""], "offer", "missing key `id`"),
        ([.period: "P5M"], "period", "the App Store has no period `P5M`"),
        ([.price: "10.00"], "price", "more than the regular price"),
        ([.price: "4,99"], "price.amount", "is not an amount"),
        ([.products: "weekly"], "products[0]", "unknown product `weekly`"), ([.products: ""], "products", ""),
        ([.periodCount: "99999999999999999999"], "periodCount", ""), ([.total: "many"], "limits[1].count", ""),
        ([.starts: "tomorrow"], "starts", ""), ([.paymentMode: "freeTrial"], "price", "a free trial has no price"),
        ([.type: "introductory"], "offerIdentifier", "an introductory offer has no offerIdentifier"),
        ([.eligibility: "subscription.stat is expired"], "eligibility", "unknown fact"),
        ([.eligibility: "("], "eligibility", "at character"), ([.status: "running"], "status", ""),
    ]

    @Test("is refused in the words of a catalog, at the member that is wrong", arguments: wrong)
    fileprivate func refused(_ change: Typed, _ path: String, _ detail: String) throws {
        do {
            _ = try OfferEntry(Self.entry.merging(change) { $1 }).added(to: Self.head + Self.first)
            Issue.record("it was added")
        } catch let refusal as OfferEntry.Refusal {
            let issue = try #require(refusal.issues.first { $0.path == path }, "\(refusal.issues)")
            #expect(issue.detail.contains(detail), "\(issue.detail)")
        }
    }

    @Test(
        "a text that is no catalog is refused with its own errors and lines",
        arguments: ["", "{", head, head + "offers: 3\n"])
    func noCatalog(_ text: String) {
        #expect(throws: InvalidDocument.self) { try OfferEntry(Self.entry).added(to: text) }
    }
}
