import OfferModel
import Testing

@testable import OfferDocuments

private typealias Typed = [OfferEntry.Field: String]

@Suite("An offer of the text, changed by a form")
struct OfferChangeTests {
    private static let head = """
        bundleId: com.example.pro
        subscriptionGroups:
          - id: "21500001"
            products:
              - { productId: monthly, level: 1, period: P1M, price: { amount: "9.99", currency: USD } }
              - { productId: yearly, level: 1, period: P1Y, price: { amount: "79.99", currency: USD } }
        offers:

        """
    private static let half = """
          # our best
          - id: half # stays
            type: promotional
            offerIdentifier: half_price
            products: [monthly] # only
            paymentMode: payAsYouGo
            period: P1M
            periodCount: 3
            price: { amount: "4.99", currency: USD } # of 9.99
            status:   active   # since May
            # the end is the shop's
            ends: 2026-12-24T00:00:00Z
            eligibility:
              all:
                - { fact: subscription.state, is: expired } # lapsed
                - { fact: signals.visits, atLeast: 3 }
            limits:
              - { count: 1, per: customer } # each
              - { spend: "280.00", currency: USD } # all
            coolDown: P30D

        """
    private static let other = """
          # the other
          - { id: other, type: introductory, products: [yearly], paymentMode: freeTrial, period: P1W, periodCount: 1, status: draft, limits: [] }
        # that is all

        """
    private static let text = head + half + other

    private func changed(_ change: Typed, of id: String = "half", in text: String = text) throws -> String? {
        let offer = try #require(try CatalogReader.read(text).value.offers.first { $0.id.rawValue == id })
        let shown = OfferEntry.Shown(offer)
        return try OfferEntry(shown.typed.merging(change) { $1 }).changed(in: text, filled: shown.mark)
    }

    private static let edits: [(change: Typed, old: String, new: String)] = [
        ([.status: "draft"], "status:   active   # since May", "status:   draft   # since May"),
        ([.ends: "2026-12-31T00:00:00Z"], "2026-12-24", "2026-12-31"),
        ([.ends: ""], "    ends: 2026-12-24T00:00:00Z\n", ""),
        ([.price: "3.99"], #""4.99""#, #""3.99""#), ([.budget: "500.00"], #""280.00""#, #""500.00""#),
        ([.perCustomer: "2"], "{ count: 1,", "{ count: 2,"), ([.periodCount: "2"], "periodCount: 3", "periodCount: 2"),
        ([.products: "yearly\nmonthly"], "[monthly]", "[monthly, yearly]"),
        ([.products: "yearly"], "[monthly]", "[yearly]"),
        (
            [.eligibility: "subscription.state is revoked and signals.visits atLeast 10"],
            "is: expired } # lapsed\n        - { fact: signals.visits, atLeast: 3 }",
            "is: revoked } # lapsed\n        - { fact: signals.visits, atLeast: 10 }"
        ),
        (
            [.starts: "2026-12-01T00:00:00Z"], "    coolDown: P30D\n",
            "    coolDown: P30D\n    starts: 2026-12-01T00:00:00Z\n"
        ),
    ]

    @Test("only the values that differ are written over, whatever is around them", arguments: edits)
    fileprivate func writtenOver(_ change: Typed, _ old: String, _ new: String) throws {
        for lineBreak in ["\n", "\r\n"] {
            let text = Self.text.replacing("\n", with: lineBreak)
            let expected = Self.text.replacing(old, with: new, maxReplacements: 1).replacing("\n", with: lineBreak)
            #expect(try #require(try changed(change, in: text)).utf8.elementsEqual(expected.utf8))
        }
    }

    @Test("several fields at once, added and removed ones among them")
    func several() throws {
        let change: Typed = [.starts: "2026-12-01T00:00:00Z", .ends: "", .status: "draft", .price: "1.00"]
        let new = try #require(try changed(change, in: Self.head + Self.half.dropLast()))
        let expected = (Self.head + Self.half).replacing("    ends: 2026-12-24T00:00:00Z\n", with: "")
            .replacing("active", with: "draft").replacing("4.99", with: "1.00")
        #expect(new == expected + "    starts: 2026-12-01T00:00:00Z")
    }

    /// Changes that would take a comment along, or that brackets have no line for.
    private static let refusedToGuess: [(id: String, change: Typed)] = [
        ("half", [.total: "500"]), ("half", [.budget: ""]), ("half", [.eligibility: "subscription.state is expired"]),
        ("half", [.eligibility: ""]), ("other", [.ends: "2026-12-31T00:00:00Z"]), ("other", [.total: "5"]),
    ]

    @Test("what would take a comment along, or has no line of its own, is left to the text", arguments: refusedToGuess)
    fileprivate func unclear(_ id: String, _ change: Typed) throws {
        #expect(try changed(change, of: id) == nil)
    }

    @Test("an item of a list that moves does not leave its comment to another")
    func moved() throws {
        let weekly = #"      - { productId: weekly, level: 1, period: P1W, price: { amount: "2.99", currency: USD } }"#
        let lines = "products:\n      - monthly # the cheapest\n      - yearly # the longest\n"
        let text =
            Self.head.replacing("offers:\n", with: "\(weekly)\noffers:\n")
            + Self.half.replacing("products: [monthly] # only\n", with: lines) + Self.other
        #expect(try CatalogReader.read(text).value.offers[0].products == ["monthly", "yearly"])
        #expect(try changed([.products: "yearly\nweekly"], in: text) == nil)
        let expected = text.replacing("- yearly #", with: "- weekly #")
        #expect(try changed([.products: "monthly\nweekly"], in: text) == expected)
    }

    @Test("a member that would become one of the next offer is not added")
    func dash() throws {
        let next = Self.other.replacing("  - { id: other, ", with: "  -\n    id: other\n    ").replacing(
            " }\n", with: "\n"
        )
        .replacing(", ", with: "\n    ")
        let text = Self.head + Self.half + next
        #expect(try CatalogReader.read(text).value.offers.count == 2)
        #expect(try changed([.starts: "2026-12-01T00:00:00Z"], in: text) == nil)
        #expect(try changed([.status: "draft"], in: text) == text.replacing("active", with: "draft"))
    }

    @Test("a value in brackets is written over where it is, and in JSON as well")
    func brackets() throws {
        let expected = Self.text.replacing("status: draft", with: "status: active")
        #expect(try changed([.status: "active"], of: "other") == expected)
        let json = CatalogWriter.json(try CatalogReader.read(Self.text).value)
        let new = try changed([.status: "active"], of: "other", in: json)
        #expect(try new.map { try CatalogReader.read($0).value.offers[1].status } ?? .active == .active)
    }

    @Test("what the form has no place for is named, and stays whatever else changes")
    func kept() throws {
        let limits = """
                limits:
                  - { count: 2, per: customer, window: P7D }
                  - { count: 10, per: account }
                  - { count: 500 }
                  - { count: 900 }
                  - { spend: "280.00", currency: USD }

            """
        let start = try #require(Self.half.firstRange(of: "    limits:")).lowerBound
        let text =
            Self.head
            + Self.half[..<start].replacing("is: expired } # lapsed", with: "in: [expired] }")
            .replacing("      all:\n", with: "      any:\n").replacing(
                "        - { fact: signals.visits, atLeast: 3 }\n", with: "")
            + limits
        let offer = try #require(try CatalogReader.read(text).value.offers.first)
        let shown = OfferEntry.Shown(offer)
        #expect(shown.kept == [.eligibility, .perCustomer, .total])
        #expect(shown.typed[.budget] == "280.00" && shown.typed[.total] == nil)
        let change: Typed = [
            .budget: "300.00", .total: "1", .perCustomer: "1", .eligibility: "subscription.state is grace",
        ]
        #expect(try changed(change, in: text) == text.replacing("280.00", with: "300.00"))
        let without = try #require(try changed([.budget: ""], in: text))
        var expected = offer
        expected.limits.removeLast()
        #expect(try CatalogReader.read(without).value.offers == [expected])
        #expect(without.contains("{ count: 2, per: customer, window: P7D }"), "as it was written")
    }

    @Test("a form that was filled before the offer was changed in the text changes nothing")
    func stale() throws {
        let shown = OfferEntry.Shown(try #require(try CatalogReader.read(Self.text).value.offers.first))
        let entry = OfferEntry(shown.typed.merging([.price: "3.99"]) { $1 })
        for newer in ["active", "4.99", "is: expired", "count: 1", "280.00", "2026-12-24"] {
            let values = ["active": "draft", "4.99": "5.99", "is: expired": "is: revoked", "count: 1": "count: 2"]
            let text = Self.text.replacing(
                newer, with: values[newer] ?? newer.replacing("2", with: "3", maxReplacements: 1), maxReplacements: 1)
            let refusal = #expect(throws: OfferEntry.Refusal.self, "\(newer)") {
                try entry.changed(in: text, filled: shown.mark)
            }
            #expect(refusal?.issues.first?.detail == "the offer was changed in the text since the form was filled")
        }
        let elsewhere = Self.text.replacing("coolDown: P30D", with: "coolDown: P60D")
        #expect(try entry.changed(in: elsewhere, filled: shown.mark) == elsewhere.replacing("4.99", with: "3.99"))
        for mark in ["", "0", "\u{0}", shown.mark.uppercased() + " "] {
            #expect(throws: OfferEntry.Refusal.self) { try entry.changed(in: Self.text, filled: mark) }
        }
        #expect(throws: OfferEntry.Refusal.self) {
            try OfferEntry([.id: "nope"]).changed(in: Self.text, filled: shown.mark)
        }
    }

    private static let wrong: [(change: Typed, path: String, detail: String)] = [
        ([.type: ""], "offer", "missing key `type`"), ([.products: ""], "products", ""),
        ([.periodCount: ""], "offer", "missing key `periodCount`"), ([.status: ""], "offer", "missing key `status`"),
        ([.price: ""], "offer", "missing key `price`"), ([.price: "10.00"], "price", "more than the regular price"),
        ([.price: "4,99"], "price.amount", "is not an amount"), ([.perCustomer: "many"], "limits[0].count", ""),
        ([.offerIdentifier: ""], "offer", "offerIdentifier"), ([.ends: "soon"], "ends", ""),
        ([.eligibility: "subscription.stat is expired"], "eligibility", "unknown fact"),
        ([.starts: "2027-01-01T00:00:00Z"], "ends", "not after it starts"),
    ]

    @Test("is refused in the words of a catalog, at the member that is wrong", arguments: wrong)
    fileprivate func refused(_ change: Typed, _ path: String, _ detail: String) throws {
        let refusal = #expect(throws: OfferEntry.Refusal.self) { try changed(change) }
        let issues = refusal?.issues ?? []
        #expect(issues.contains { $0.path == path && $0.detail.contains(detail) }, "\(issues)")
    }

    private static let values = [
        "a\n  - id: b", "a: b", "a #b", #"""#, "'", #"a", status: "active"#, "*anchor", "&anchor a", "!tag", "{}", "[a",
        "- a", "|", "---", "<<", "\u{0}", "\u{85}b", "a\u{301}", "\u{600}\"", "😀", "\\n", "null", "~", "0x10", " ",
        "a\r\nb", String(repeating: "#", count: 10_000),
    ]

    @Test("takes no value for anything but that value of its own field", arguments: values, OfferEntry.Field.allCases)
    func hostile(_ value: String, _ field: OfferEntry.Field) throws {
        do {
            let text = try #require(try changed([field: value]))
            var (old, new) = (try CatalogReader.read(Self.text).value, try CatalogReader.read(text).value)
            #expect(
                new.offers[0].offerIdentifier == OfferIdentifier(value), "`\(field)` took \(value.debugDescription)")
            (old.offers[0].offerIdentifier, new.offers[0].offerIdentifier) = (nil, nil)
            #expect(old == new)
        } catch let refusal as OfferEntry.Refusal {
            #expect(!refusal.issues.isEmpty && refusal.issues.allSatisfy { !$0.path.isEmpty && !$0.detail.isEmpty })
            #expect(refusal.issues.allSatisfy { $0.detail.utf8.count < 2_000 })
        }
    }

    private static let catalogs = [
        "Examples/catalog.yaml", "Examples/usage-trial.yaml", "Examples/conformance/two-groups.yaml",
        "Sources/OfferdCommands/Setup/catalog.yaml", "Tests/OfferDocumentsTests/Fixtures/design/full.yaml",
        "Tests/OfferDocumentsTests/Fixtures/design/subset.yaml",
        "Tests/OfferdCommandsTests/Fixtures/terminal/planned.yaml",
    ]
    private static let changes: [Typed] = [
        [.status: "archived"], [.ends: "2099-01-01T00:00:00Z"], [.ends: ""], [.starts: "2020-01-01T00:00:00Z"],
        [.price: "0.99"], [.perCustomer: "7"], [.perCustomer: ""], [.total: "77"], [.total: ""], [.budget: "7777.00"],
        [.budget: ""], [.eligibility: "customer.storefront in [USA, CAN]"], [.eligibility: ""], [.periodCount: "1"],
        [.period: "P1M"], [.offerIdentifier: "another"],
    ]

    @Test(
        "sent as it was filled, the text is the same; with one field changed, the offer differs in that alone",
        arguments: catalogs)
    func property(_ path: String) throws {
        let text = String(decoding: try Fixture.repository(path), as: UTF8.self)
        let catalog = try CatalogReader.read(text).value
        var counts = (written: 0, left: 0)
        for (place, offer) in catalog.offers.enumerated() {
            let id = offer.id.rawValue
            #expect(try #require(try changed([:], of: id, in: text)).utf8.elementsEqual(text.utf8), "\(id)")
            for change in Self.changes {
                do {
                    guard let new = try changed(change, of: id, in: text) else {
                        counts.left += 1
                        continue
                    }
                    counts.written += 1
                    var read = try CatalogReader.read(new).value
                    var shown = OfferEntry.Shown(read.offers[place]).typed
                    let before = OfferEntry.Shown(offer)
                    for (field, value) in change where !before.kept.contains(field) {
                        #expect(shown[field] ?? "" == value, "\(id): \(change)")
                        shown[field] = before.typed[field]
                    }
                    #expect(shown == before.typed, "\(id): \(change)")
                    read.offers[place] = offer
                    #expect(read == catalog, "\(id): \(change)")
                    #expect(Self.ownComments(new) == Self.ownComments(text), "\(id): \(change)")
                } catch is OfferEntry.Refusal {
                    // What a text would be refused for as well.
                }
            }
        }
        #expect(counts.written > counts.left, "\(counts)")
    }

    private static func ownComments(_ text: String) -> [String] {
        text.split(separator: "\n").map { String($0.drop { $0 == " " }) }.filter { $0.hasPrefix("#") }
    }
}
