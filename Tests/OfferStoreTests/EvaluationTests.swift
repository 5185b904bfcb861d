import OfferModel
import OfferStore
import Testing

@Suite("Evaluations for reports")
struct EvaluationTests {
    private func refuse(
        _ number: Int, _ customer: CustomerNumber?, _ offer: OfferId = "comeback", after: Int64,
        elsewhere: Bool = false, _ bench: Bench
    ) async throws {
        var refusal = Refusal.fixture(number, customer: customer)
        refusal.offerId = offer
        refusal.decidedAt = Bench.now.adding(milliseconds: after)
        let scope = elsewhere ? bench.other : bench.scope
        try await bench.database.write { [refusal] in try RefusalStore($0).insert(refusal, in: scope) }
    }

    /// Issues an offer, and signs it once more at once, which is no evaluation of its own.
    private func issue(_ number: Int, _ customer: CustomerNumber, after: Int64, _ bench: Bench) async throws {
        let (scope, issued) = (bench.scope, Bench.now.adding(milliseconds: after))
        try await bench.database.write { transaction in
            let issuedOffers = IssuedOfferStore(transaction)
            try issuedOffers.insert(
                .fixture(number, issued: issued), catalogRevision: 3, for: customer, subject: [customer], in: scope)
            _ = try issuedOffers.addSigning(
                to: .number(number), expiresAt: issued, countsUntil: issued, at: issued, subject: [customer], in: scope)
        }
    }

    @Test("who was evaluated comes page by page, each with their first decision", arguments: Driver.allCases)
    func pages(driver: Driver) async throws {
        let bench = try await Bench(driver)
        var customers: [CustomerNumber] = []
        for id in 1...5 { customers.append(try await bench.customer(TransactionId("\(id)"))) }
        try await refuse(1, customers[0], after: 5, bench)
        try await refuse(2, customers[0], after: 3, bench)
        try await refuse(3, customers[1], "other", after: 0, bench)
        try await issue(4, customers[2], after: 9, bench)
        try await refuse(9, customers[2], after: 11, bench)
        try await refuse(5, customers[3], after: 1, elsewhere: true, bench)
        try await refuse(6, customers[4], after: 2, bench)
        try await refuse(7, nil, after: 4, bench)
        try await refuse(8, nil, after: 5, bench)
        let scope = bench.scope
        try await bench.database.read { [customers] transaction in
            let store = EvaluationStore(transaction)
            func after(_ milliseconds: Int64) -> Instant { Bench.now.adding(milliseconds: milliseconds) }
            let first = try store.evaluated(for: "comeback", after: nil, limit: 2, in: scope)
            #expect(first.map(\.customer) == [customers[0], customers[2]])
            #expect(first.map(\.decidedAt) == [after(3), after(9)])
            let next = try store.evaluated(for: "comeback", after: customers[2], limit: 2, in: scope)
            #expect(next.map(\.customer) == [customers[4]])
            #expect(try store.offers(in: scope) == ["comeback", "other"])
            #expect(try store.first(of: customers[0], for: "comeback", in: scope) == after(3))
            #expect(try store.first(of: customers[1], for: "comeback", in: scope) == nil)
            #expect(try store.catalogRevision(of: "comeback", in: scope) == 3)
            #expect(try store.catalogRevision(of: "nothing", in: scope) == nil)
            #expect(try store.refusalsOfUnknown(for: "comeback", in: after(4)..<after(5), in: scope) == 1)
            #expect(try store.refusalsOfUnknown(for: "comeback", in: after(0)..<after(4), in: scope) == 0)
        }
    }

    @Test("the decisions about one customer come from the earliest, and only a refusal brings its record")
    func decisions() async throws {
        let bench = try await Bench()
        let customer = try await bench.customer()
        try await issue(1, customer, after: 5, bench)
        try await refuse(2, customer, after: 3, bench)
        try await refuse(3, customer, after: 3, bench)
        let scope = bench.scope
        try await bench.database.read { transaction in
            let store = EvaluationStore(transaction)
            let page = try store.evaluations(of: customer, for: "comeback", after: nil, limit: 2, in: scope)
            let record = DecisionRecord.fixture().stored
            #expect(page.map(\.answer) == [.refused(record), .refused(record)])
            #expect(page.map(\.place) == page.map(\.place).sorted())
            let next = try store.evaluations(
                of: customer, for: "comeback", after: try #require(page.last).place, limit: 2, in: scope)
            let hasRecord = next.map { evaluation in
                if case .issued(let record, isGranted: false) = evaluation.answer { record != nil } else { false }
            }
            #expect(hasRecord == [true])
        }
    }

    @Test("customers who were merged are told with the one they are now")
    func merged() async throws {
        let bench = try await Bench()
        let (first, second, third) = (
            try await bench.customer("1"), try await bench.customer("2"), try await bench.customer("3")
        )
        try await bench.ingest([.bought("1", account: "A"), .bought("2", account: "A")])
        try await bench.database.read { transaction throws in
            let store = CustomerStore(transaction)
            #expect(try store.survivors(of: [first, second, third]) == [first: first, second: first, third: third])
            #expect(try store.merged(into: [first, third]) == [first: [second]])
            #expect(try store.survivors(of: []).isEmpty)
            #expect(try store.merged(into: []).isEmpty)
        }
    }
}
