import OfferAPI
import OfferModel
import OfferWords
import Testing

// What a difference means is tested with the differences, in OfferDocumentsTests.
@Suite("The changes of a catalog plan")
struct PlannedChangeTests {
    private static func offer(_ change: (inout Offer) -> Void = { _ in }) -> Offer {
        var offer = Offer(
            id: "a", type: .promotional, delivery: .signature, offerIdentifier: "a", products: ["p"],
            paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1, limits: [])
        change(&offer)
        return offer
    }

    private static func catalog(_ offers: Offer...) -> Catalog { Catalog(bundleId: "com.example.pro", offers: offers) }

    private func planned(
        _ change: CatalogChange, from inForce: Catalog? = nil, to file: Catalog? = nil
    ) throws -> PlannedChange {
        let all = PlannedChange.all([change], from: inForce, to: file)
        #expect(all.map(\.change) == [change])
        return try #require(all.first)
    }

    private let unknown = "this version cannot tell for which customers that changes something"

    @Test("a change is judged by the values of the catalogs, in whatever words the server tells of it")
    func values() throws {
        let (old, new) = (Self.catalog(Self.offer { $0.limits = [.total(count: 5)] }), Self.catalog(Self.offer()))
        let change = CatalogChange(.changed, of: "a", path: "limits", from: "five", to: "as many as they want")
        let found = try planned(change, from: old, to: new)
        #expect(found.effect.mark == "+")
        #expect(found.words == "without limits, each customer may have it again and again")
        #expect(found.effect.needsConfirmation)
    }

    @Test(
        "of a catalog that this version cannot read, and of what it does not find there, nothing is known",
        arguments: [(true, false), (false, true), (true, true)])
    func unreadable(_ hasOld: Bool, _ hasNew: Bool) throws {
        let (old, new) = (Self.catalog(Self.offer()), Self.catalog(Self.offer { $0.priority = 2 }))
        let path = hasOld && hasNew ? "aFieldOfTheFuture" : "priority"
        let change = CatalogChange(.changed, of: "a", path: path, from: "0", to: "2")
        let found = try planned(change, from: hasOld ? old : nil, to: hasNew ? new : nil)
        #expect(found.effect.mark == "?")
        #expect(found.words == unknown)
        #expect(found.line == "\(path): 0 → 2")
    }

    @Test("a change of another kind than is found, or than this version knows, may be anything")
    func kinds() throws {
        let (old, new) = (Self.catalog(Self.offer()), Self.catalog(Self.offer { $0.priority = 2 }))
        for (kind, path) in [("removed", "priority"), ("transmuted", "priority"), ("transmuted", nil)] {
            let change = CatalogChange { ($0.offerId, $0.change, $0.path) = ("a", kind, path) }
            #expect(try planned(change, from: old, to: new).words == unknown)
        }
    }

    @Test("a difference that depends on the month is unknown as well")
    func undecided() throws {
        let old = Self.catalog(Self.offer { $0.coolDown = Period(days: 30) })
        let new = Self.catalog(Self.offer { $0.coolDown = Period(months: 1) })
        let change = CatalogChange(.changed, of: "a", path: "coolDown", from: "P30D", to: "P1M")
        #expect(try planned(change, from: old, to: new).words == unknown)
    }

    @Test("without the catalog in force, offers that come and go are clear; a new one is read from the file")
    func wholeOffers() throws {
        let removed = try planned(CatalogChange(.removed, of: "a"))
        #expect(removed.effect.mark == "-")
        #expect(removed.line == "removed")
        #expect(removed.words.hasPrefix("it is no longer issued; "))
        let added = CatalogChange(.added, of: "a")
        #expect(try planned(added).effect.mark == "+")
        #expect(try planned(added).words == "a new offer; this version cannot read its terms")
        #expect(try planned(added, to: Self.catalog(Self.offer())).effect.mark == "+")
        let draft = try planned(added, to: Self.catalog(Self.offer { $0.status = .draft }))
        #expect(draft.effect.mark == "·")
        #expect(!draft.effect.needsConfirmation)
        let dated = try planned(added, to: Self.catalog(Self.offer { $0.starts = Instant(milliseconds: 0) }))
        #expect(dated.words == "a new offer, issued from 1970-01-01 00:00 UTC, without an end")
    }

    @Test("values are shown as people read them")
    func lines() throws {
        func line(
            _ path: String, _ old: (inout Offer) -> Void, _ new: (inout Offer) -> Void,
            _ kind: CatalogChange.Kind = .changed
        ) throws -> String {
            let change = CatalogChange(kind, of: "a", path: path, from: "old", to: "")
            return try planned(change, from: Self.catalog(Self.offer(old)), to: Self.catalog(Self.offer(new))).line
        }
        func condition(_ test: ComparisonOperator, _ values: Double...) -> RuleNode {
            .comparison(
                Comparison(fact: "signals.x", comparisonOperator: test, operands: values.map(FactValue.number)))
        }
        let once = Limit.perCustomer(count: 1, window: nil, across: .thisOffer)
        #expect(
            try line("limits", { $0.limits = [once, .total(count: 9)] }, { $0.limits = [once, .total(count: 8)] })
                == "limits: 9 in all → 8 in all", "of a list those that differ are enough")
        #expect(
            try line("limits", { $0.limits = [.total(count: 100), once] }, { $0.limits = [.total(count: 100)] })
                == "limits: old → none", "as the server tells it: `100 in all` is no comparison")
        #expect(
            try line("rollout", { $0.rollout = Rollout(percent: 50) }, { $0.rollout = nil }, .removed)
                == "rollout: 50 % of customers → none")
        #expect(
            try line(
                "rollout", { $0.rollout = Rollout(percent: 50, holdout: 5, salt: "x") },
                { $0.rollout = Rollout(percent: 12.5, salt: "–") })
                == "rollout: 50 % of customers, 5 % of them held out, salt x → 12.5 % of customers, salt –")
        #expect(
            try line(
                "eligibility", { $0.eligibility = condition(.between, 1, 2) },
                { $0.eligibility = condition(.between, 1, 3) })
                == "signals.x is between 1 and 2 → 1 and 3")
        #expect(
            try line("eligibility", { $0.eligibility = condition(.in, 1, 2) }, { $0.eligibility = condition(.in, 3) })
                == "signals.x is one of 1, 2 → 3")
        #expect(
            try line(
                "eligibility", { $0.eligibility = condition(.atLeast, 1) }, { $0.eligibility = condition(.atMost, 1) })
                == "eligibility: old → none", "another operator")
    }
}
