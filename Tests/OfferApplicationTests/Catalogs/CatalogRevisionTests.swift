import OfferAPI
import OfferDocuments
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferApplication

@Suite("Catalog revisions")
struct CatalogRevisionTests {
    private func issues(_ error: any Error) -> [DocumentIssue] {
        guard case RequestError.invalidCatalog(let issues) = error else { return [] }
        return issues
    }

    /// The line a text stands on, from 1.
    private func line(of text: String, in document: String) -> Int? {
        document.split(separator: "\n", omittingEmptySubsequences: false)
            .firstIndex { $0.contains(text) }.map { $0 + 1 }
    }

    @Test("before the first there is revision 0 without a text; what is applied is given back byte for byte")
    func document() async throws {
        let bench = try await Workbench(catalog: nil)
        let catalogs = bench.useCases.catalogs
        #expect(
            try await catalogs.current(caller: Workbench.client)
                == CatalogDocument(revision: 0, text: "", format: .yaml))
        let text = "# kept\n" + TestCatalog.yaml
        #expect(try await bench.apply(text, expected: 0).revision == 1)
        #expect(
            try await catalogs.current(caller: Workbench.client)
                == CatalogDocument(revision: 1, text: text, format: .yaml))
        let sandbox = Workbench.caller(.marketing, scope: Scope(bundleId: "com.example.pro", environment: .sandbox))
        #expect(try await catalogs.current(caller: sandbox).revision == 0)
    }

    @Test(
        "a change made from another revision is refused with the current one, also as a dry-run",
        arguments: [true, false])
    func ifMatch(dryRun: Bool) async throws {
        let bench = try await Workbench()
        for expected in [0, 2, -1] {
            await #expect {
                try await bench.apply(TestCatalog.yaml + "# new\n", expected: expected, dryRun: dryRun)
            } throws: { error in
                guard case RequestError.catalogChanged(let current) = error else { return false }
                return current == 1
            }
        }
        #expect(try await bench.count("catalog_revision") == 1)
    }

    @Test("the text in force applied again makes no revision; of two at once one wins")
    func sameText() async throws {
        let bench = try await Workbench()
        let again = try await bench.apply(TestCatalog.yaml, expected: 1)
        #expect(again == CatalogApplied { $0.revision = 1 })
        let outcomes = await withTaskGroup(of: Int?.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try? await bench.apply(TestCatalog.yaml + "# \(number)\n", expected: 1).revision
                }
            }
            return await group.reduce(into: [Int?]()) { $0.append($1) }
        }
        #expect(outcomes.compactMap(\.self) == [2])
        #expect(try await bench.count("catalog_revision") == 2)
    }

    @Test("every error is told at once, with its line, and nothing is put in force")
    func invalid() async throws {
        let bench = try await Workbench()
        let broken = TestCatalog.yaml
            .replacing("signals.interactions", with: "subscription.staet")
            .replacing("periodCount: 3", with: "periodCount: none")
        await #expect {
            try await bench.apply(broken, expected: 1)
        } throws: { error in
            let found = self.issues(error)
            return Set(found.map(\.line))
                == [self.line(of: "subscription.staet", in: broken), self.line(of: "periodCount: none", in: broken)]
                && found.contains { $0.code == .unknownFact }
        }
        #expect(try await bench.useCases.catalogs.current(caller: Workbench.client).revision == 1)
    }

    @Test("another app's catalog is refused on the line that names it")
    func wrongApp() async throws {
        let bench = try await Workbench()
        let other = "# a comment\n" + TestCatalog.yaml.replacing("com.example.pro", with: "com.example.other")
        await #expect {
            try await bench.apply(other, expected: 1)
        } throws: { error in
            self.issues(error).map(\.code) == [.wrongApp] && self.issues(error).map(\.line) == [2]
        }
    }

    @Test("type and Apple's name of an offer are frozen once it was issued, also when it was removed in between")
    func frozen() async throws {
        let bench = try await Workbench()
        let renamed = TestCatalog.yaml.replacing("comeback50", with: "comeback60")
        #expect(
            try await bench.apply(renamed, expected: 1, dryRun: true).changes
                == [
                    CatalogChange(
                        .changed, of: "comeback", path: "offerIdentifier", from: "comeback50",
                        to: "comeback60")
                ])
        _ = try await bench.granted(.of("comeback", try bench.shop.delivery(.lapsed, "100")))
        func isRefused(_ error: any Error) -> Bool {
            let found = self.issues(error)
            return found.map(\.code) == [.frozenOnceIssued]
                && found.map(\.line) == [self.line(of: "comeback60", in: renamed)]
                && found.map(\.path) == ["offers[0].offerIdentifier"]
        }
        for dryRun in [true, false] {
            await #expect {
                try await bench.apply(renamed, expected: 1, dryRun: dryRun)
            } throws: { isRefused($0) }
        }
        try await bench.apply(TestCatalog.head + TestCatalog.others, expected: 1)
        await #expect {
            try await bench.apply(renamed, expected: 2)
        } throws: { isRefused($0) }
        let winBack = TestCatalog.yaml.replacing(
            "id: comeback\n    type: promotional", with: "id: comeback\n    type: winBack\n    delivery: signature")
        await #expect {
            try await bench.apply(winBack, expected: 2)
        } throws: { error in
            self.issues(error).map(\.path) == ["offers[0].type"]
                && self.issues(error).map(\.line) == [self.line(of: "type: winBack", in: winBack)]
        }
        #expect(try await bench.apply(TestCatalog.yaml, expected: 2).revision == 3)
    }

    @Test("the difference names what was added, changed and removed, field by field")
    func difference() async throws {
        let bench = try await Workbench(catalog: TestCatalog.head + TestCatalog.comeback())
        let comeback = TestCatalog.comeback()
            .replacing("count: 1, per", with: "count: 2, per")
            .replacing("status: active", with: "status: active\n    priority: 7\n    ends: 2027-02-01T00:00:00Z")
        let head = TestCatalog.head.replacing("9.99", with: "8.99")
        let changes = try await bench.apply(head + comeback + TestCatalog.others, expected: 1).changes
        let products = changes.filter { $0.offerId == nil }
        #expect(
            products.map(\.path) == [
                "subscriptionGroups[21500001].products[monthly].price",
                "subscriptionGroups[21500001].products[yearly].price",
            ])
        #expect(
            changes.filter { $0.offerId == "comeback" }.map(\.path) == ["ends", "priority", "limits"])
        #expect(changes.filter { $0.offerId == "comeback" }.map(\.change) == ["added", "changed", "changed"])
        #expect(
            changes.filter { $0.change == "added" && $0.path == nil }.map(\.offerId)
                == ["twice", "welcome", "either", "back", "engaged", "sketch"])
        let removed = try await bench.apply(head + TestCatalog.others, expected: 2).changes
        #expect(removed == [CatalogChange(.removed, of: "comeback")])
    }

    @Test("products outside groups are differences of their own")
    func otherProducts() async throws {
        func catalog(_ products: String) -> String {
            TestCatalog.head.replacing("offers:", with: "products: [\(products)]\noffers:") + TestCatalog.comeback()
        }
        let bench = try await Workbench(catalog: catalog(""))
        let both = "{ productId: lifetime, type: nonConsumable }, { productId: coins, type: consumable }"
        #expect(
            try await bench.apply(catalog(both), expected: 1).changes == [
                CatalogChange(.added, of: nil, path: "products[lifetime].type", to: "nonConsumable"),
                CatalogChange(.added, of: nil, path: "products[coins].type", to: "consumable"),
            ])
        #expect(
            try await bench.apply(catalog("{ productId: lifetime, type: nonRenewing }"), expected: 2).changes == [
                CatalogChange(
                    .changed, of: nil, path: "products[lifetime].type", from: "nonConsumable", to: "nonRenewing"),
                CatalogChange(.removed, of: nil, path: "products[coins].type", from: "consumable"),
            ])
    }

    /// A catalog with a yearly product that has the billing plan `monthly` too, and an introductory offer for each plan.
    private func withPlans(_ price: String = "14.99", _ second: String = "monthly") -> String {
        """
        bundleId: com.example.pro
        subscriptionGroups:
          - id: "21500001"
            products:
              - productId: yearly
                level: 1
                period: P1Y
                price: { amount: "143.99", currency: USD }
                billingPlans:
                  - { type: billedUpfront }
                  - { type: monthly, price: { amount: "\(price)", currency: USD } }
        offers:
          - { id: week, type: introductory, products: [yearly], paymentMode: freeTrial, period: P1W, periodCount: 1,
              status: active, limits: [] }
          - { id: month, type: introductory, products: [yearly], billingPlan: \(second), paymentMode: freeTrial,
              period: P1M, periodCount: 1, status: active, limits: [] }

        """
    }

    @Test("the price of a billing plan, and the plan of an offer, are differences of their own")
    func billingPlans() async throws {
        let bench = try await Workbench(catalog: withPlans())
        let path = "subscriptionGroups[21500001].products[yearly].billingPlans[monthly]"
        #expect(
            try await bench.apply(withPlans("12.99"), expected: 1).changes == [
                CatalogChange(
                    .changed, of: nil, path: path, from: "14.99 USD, in all 179.88 USD",
                    to: "12.99 USD, in all 155.88 USD")
            ])
        #expect(
            try await bench.apply(withPlans("12.99", "billedUpfront"), expected: 2).changes == [
                CatalogChange(.changed, of: "month", path: "billingPlan", from: "monthly", to: "billedUpfront")
            ])
    }

    @Test("decisions and the list of offers name the billing plan to buy, and none where products have no plans")
    func namedPlan() async throws {
        let bench = try await Workbench(catalog: withPlans())
        let inquiry = Inquiry(customer: CustomerIdentifiers(customerId: "anna"))
        for caller in [Workbench.client, Workbench.support] {
            let answer = try await bench.useCases.decisions.decide(inquiry, caller: caller)
            let body = DecisionsBody(answer, role: caller.role, locale: nil)
            #expect(body.decisions.map(\.billingPlan) == ["billedUpfront", "monthly"])
        }
        let offers = try CatalogReader.read(withPlans()).value.offers.map { OfferSummary($0, paused: false, used: nil) }
        #expect(offers.map(\.terms?.billingPlan) == ["billedUpfront", "monthly"])
        let without = try CatalogReader.read(TestCatalog.yaml).value.offers
        #expect(without.allSatisfy { OfferSummary($0, paused: false, used: nil).terms?.billingPlan == nil })
    }

    @Test(
        "a subscription group that is none of App Store Connect's is accepted only where the App Store is not Apple's",
        arguments: AppStoreEnvironment.allCases)
    func groupNamedByHand(environment: AppStoreEnvironment) async throws {
        let bench = try await Workbench(catalog: nil)
        let caller = Workbench.caller(
            .marketing, scope: Scope(bundleId: "com.example.pro", environment: environment))
        for (id, isApples) in [
            ("21500001", true), ("reader-voice-group", false), ("Premium Group", false), ("6F3A93AB", false),
            ("2150000１", false), ("-1", false),
        ] {
            let text = TestCatalog.yaml.replacing("21500001", with: id)
            let applied = {
                try await bench.useCases.catalogs.apply(
                    text, format: .yaml, expectedRevision: 0, message: nil, dryRun: true, caller: caller)
            }
            if isApples || environment == .xcode || environment == .localTesting {
                #expect(try await applied().changes.isEmpty == false)
                continue
            }
            let error = try await #require(throws: RequestError.self) { _ = try await applied() }
            #expect(
                issues(error).map(\.detail) == [
                    "`\(id)` is not a subscription group of App Store Connect: its ids are digits"
                ])
            #expect(issues(error).map(\.path) == ["subscriptionGroups[0].id"])
            #expect(issues(error).map(\.line) == [line(of: id, in: text)])
        }
    }

    @Test(
        "conditions that differ and read alike are a difference: a number and a text, and two spellings of one letter",
        arguments: [("1", "\"1\""), ("caf\u{E9}", "cafe\u{301}")])
    func readingAlike(_ old: String, _ new: String) async throws {
        func catalog(_ value: String) -> String {
            TestCatalog.head
                + TestCatalog.comeback().replacing(
                    "    limits:", with: "    eligibility: { fact: signals.plan, is: \(value) }\n    limits:")
        }
        let bench = try await Workbench(catalog: catalog(old))
        #expect(
            try await bench.apply(catalog(new), expected: 1).changes == [
                CatalogChange(
                    .changed, of: "comeback", path: "eligibility", from: "the same text",
                    to: "a value of another type, or with other Unicode characters")
            ])
        #expect(try await bench.apply(catalog(new) + "# again\n", expected: 2).changes == [])
    }
}
