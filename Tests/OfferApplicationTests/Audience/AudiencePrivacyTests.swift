import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@Suite("What a marketing key learns of few customers")
struct AudiencePrivacyTests {
    private func bench() async throws -> Workbench {
        let bench = try await Workbench()
        try await bench.admit(Array(repeating: .lapsed, count: 23) + [.newcomer, .newcomer, .newcomer])
        try await bench.setAttributes(["email": .text("anna@example.com")], of: "104")
        return bench
    }

    @Test(
        "who matches one person's attribute is a few, with no member that says more",
        arguments: [
            "customer.attributes.email is \"anna@example.com\"", "customer.attributes.email is \"bert@example.com\"",
            "customer.attributes.email exists and subscription.state is expired",
        ])
    func probe(_ condition: String) async throws {
        let bench = try await bench()
        let request = SimulationRequest.of("comeback") { ($0.where, $0.compareWith) = (condition, .inForce) }
        let result = try await bench.simulated(request, caller: Workbench.marketing)
        let few = AudienceCount.fewerThan(10)
        #expect([result.customers, result.eligible, result.ineligible, result.undetermined].allSatisfy { $0 == few })
        #expect(result.gains?.customers == few && result.losses?.customers == few)
        #expect(result.heldBack == .exactly(0), "without a rollout, which the catalog says to everyone")
        #expect(result.where == condition && result.catalogRevision == 1 && result.comparedRevision == 1)
        #expect(result.byRule.isEmpty && result.undeterminedBy.isEmpty && result.samples.isEmpty)
        #expect(result.costCeiling == nil && result.gains?.samples == [] && result.losses?.samples == [])
        #expect(
            result.next30Days.allSatisfy { $0.eligible == few } && result.waterfall.allSatisfy { $0.customers == few })
    }

    @Test("numbers come in tens, so that no small one is the difference of two, and no customer is named")
    func rounded() async throws {
        let bench = try await bench()
        let result = try await bench.simulated(.of("comeback"), caller: Workbench.marketing)
        #expect(result.customers.told == 30 && result.eligible.told == 20)
        #expect(result.ineligible == .fewerThan(10) && result.undetermined == .fewerThan(10))
        #expect(result.waterfall.map(\.customers.told) == [30])
        #expect(result.costCeiling?.first?.amount == "300.00")
        #expect(result.samples.isEmpty)
        let exact = try await bench.simulated(.of("comeback"))
        #expect(exact.customers.told == 26 && exact.eligible.told == 23 && exact.samples.count == 10)
    }

    @Test("a key sees by its own role what the other began")
    func otherRole() async throws {
        let bench = try await bench()
        let started = try await bench.useCases.simulations.start(.of("comeback"), caller: Workbench.support)
        _ = try await bench.useCases.simulations.ended(started.id)
        let shown = try await bench.useCases.simulations.show(started.id, caller: Workbench.marketing)
        #expect(shown.result?.customers.told == 30)
        // Of 26: how far it was says no more than the result.
        #expect(shown.progress.done == 30 && shown.progress.of == 30)
    }

    @Test("a search tells a marketing key how many match, in tens, and none of them, however wide the condition is")
    func search() async throws {
        let bench = try await bench()
        func found(_ condition: String, cursor: String? = nil, _ caller: Caller) async throws -> CustomerSearchPage {
            var request = CustomerSearchRequest()
            (request.where, request.cursor, request.limit) = (condition, cursor, 4)
            return try await bench.useCases.search.page(request, caller: caller)
        }
        for condition in ["customer.attributes.email is \"anna@example.com\"", "customer.attributes.email exists"] {
            for cursor in [nil, "1", "20"] {
                let page = try await found(condition, cursor: cursor, Workbench.marketing)
                #expect(page.matching == .fewerThan(10) && page.customers.isEmpty && page.nextCursor == nil)
            }
            let page = try await found(condition, Workbench.support)
            #expect(page.customers.map(\.customerId) == ["user-104"] && page.matching == nil)
        }
        let wide = "customer.attributes.email is \"anna@example.com\" or subscription.state is expired"
        let page = try await found(wide, Workbench.marketing)
        #expect(page.matching == .exactly(20) && page.customers.isEmpty && page.undetermined == nil)
        #expect(try await found(wide, Workbench.support).customers.first?.originalTransactionId == "100")
    }

    @Test("every match is on one page of a search, each once")
    func pages() async throws {
        let bench = try await bench()
        var (seen, cursor): ([CustomerId?], String?) = ([], nil)
        repeat {
            var request = CustomerSearchRequest()
            (request.where, request.cursor, request.limit) = ("subscription.everInGroup is true", cursor, 5)
            let page = try await bench.useCases.search.page(request, caller: Workbench.support)
            seen += page.customers.map(\.customerId)
            cursor = page.nextCursor
        } while cursor != nil
        #expect(seen == (100..<123).map { CustomerId("user-\($0)") })
    }
}
