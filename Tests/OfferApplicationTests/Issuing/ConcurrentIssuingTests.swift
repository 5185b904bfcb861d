import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import Testing

@Suite("Many requests at once")
struct ConcurrentIssuingTests {
    /// Asks all at once; the answers come in any order.
    ///
    /// - Parameter persevering: ask again after `busy`, as an app does.
    static func ask(
        _ bench: Workbench, _ orders: [(UseCases, IssueRequest)], persevering: Bool = false
    ) async throws -> [IssueAnswer] {
        try await withThrowingTaskGroup(of: IssueAnswer.self) { group in
            for (useCases, order) in orders {
                group.addTask {
                    while true {
                        do {
                            return try await useCases.issuing.issue(order, caller: Workbench.client)
                        } catch RequestError.busy where persevering {
                            await Task.yield()
                        }
                    }
                }
            }
            var answers = [IssueAnswer]()
            for try await answer in group {
                bench.note(answer)
                answers.append(answer)
            }
            return answers
        }
    }

    @Test(
        "200 requests of one customer for a once-only offer give one issued offer and all get it (invariants 2 and 8)")
    func oneProcess() async throws {
        let bench = try await Workbench(onFile: true)
        let order = IssueRequest(
            offerId: "comeback", customer: CustomerIdentifiers(customerId: "somebody"),
            delivery: try bench.shop.delivery(.lapsed, "100"))
        let answers = try await Self.ask(bench, Array(repeating: (bench.useCases, order), count: 200))
        #expect(Set(answers.compactMap { $0.issued?.offer.id }).count == 1)
        #expect(answers.filter { $0.issued != nil }.count == 200)
        #expect(answers.filter { $0.issued?.isNew == true }.count == 1)
        #expect(try await bench.count("issued_offer") == 1)
        #expect(try await bench.count("signature") == 1)
        try await bench.checkLedger()
        try bench.database.close()
    }

    @Test("the same with a wall clock that moves while everybody vouches for the history (invariant 2)")
    func movingClock() async throws {
        let bench = try await Workbench(onFile: true)
        let order = IssueRequest(
            offerId: "comeback", customer: CustomerIdentifiers(customerId: "somebody"),
            delivery: try bench.shop.delivery(.lapsed, "100"))
        let hurried = bench.hurriedUseCases()
        let answers = try await Self.ask(bench, Array(repeating: (hurried, order), count: 200))
        #expect(Set(answers.compactMap { $0.issued?.offer.id }).count == 1)
        #expect(answers.filter { $0.issued != nil }.count == 200)
        #expect(try await bench.count("issued_offer") == 1)
        try await bench.checkLedger()
        try bench.database.close()
    }

    @Test("the same through two openings of one file (invariant 2)")
    func twoProcesses() async throws {
        let bench = try await Workbench(onFile: true)
        let second = try bench.reopened()
        let other = bench.useCases(over: second)
        let order = IssueRequest.of("comeback", try bench.shop.delivery(.lapsed, "100"))
        let answers = try await Self.ask(
            bench, (0..<200).map { ($0.isMultiple(of: 2) ? bench.useCases : other, order) })
        #expect(Set(answers.compactMap { $0.issued?.offer.id }).count == 1)
        #expect(answers.filter { $0.issued != nil }.count == 200)
        #expect(try await bench.count("issued_offer") == 1)
        try await bench.checkLedger()
        try second.close()
        try bench.database.close()
    }

    @Test(
        "30 customers asking for three offers each, three times at once, get one issued offer a customer and offer (invariant 2)"
    )
    func manyCustomers() async throws {
        let bench = try await Workbench(onFile: true)
        var orders = [(UseCases, IssueRequest)]()
        for number in 0..<30 {
            let delivery = try bench.shop.delivery(.lapsed, "\(1_000 + number)")
            for offer: OfferId in ["comeback", "twice", "back"] {
                orders += Array(repeating: (bench.useCases, .of(offer, delivery)), count: 3)
            }
        }
        var generator = OrderOfArrivalTests.generator(seed: 30)
        orders.shuffle(using: &generator)
        // Three issued offers of one customer can each come first, and then docs/design.md#issuing answers `busy`.
        let answers = try await Self.ask(bench, orders, persevering: true)
        #expect(answers.filter { $0.issued != nil }.count == 270)
        #expect(Set(answers.compactMap { $0.issued?.offer.id }).count == 90)
        #expect(try await bench.count("issued_offer") == 90)
        #expect(try await bench.count("customer") == 30)
        try await bench.checkLedger()
        try bench.database.close()
    }

    @Test("fresh signings at once never exceed `signaturesPerOffer`; the surplus is refused (invariant 2)")
    func freshAtOnce() async throws {
        let bench = try await Workbench(onFile: true)
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let order = IssueRequest(offerId: "comeback", customer: named("100"), fresh: true)
        let results = await withTaskGroup(of: Result<IssueAnswer, any Error>.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do {
                        return .success(try await bench.useCases.issuing.issue(order, caller: Workbench.client))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: [Result<IssueAnswer, any Error>]()) { $0.append($1) }
        }
        var signed = 0
        for result in results {
            switch result {
            case .success(.issued(let offer, let isNew)):
                bench.note(.issued(offer, isNew: isNew))
                #expect(isNew)
                signed += 1
            case .success(.refused(let refusal)):
                #expect(refusal.decision.obstacles == [.limitSignatures])
            case .failure(let error):
                guard case RequestError.busy = error else { throw error }
            }
        }
        #expect(signed >= 1 && signed <= 3)
        #expect(try await bench.count("signature") == signed)
        #expect(try await bench.count("issued_offer") == 1)
        try await bench.checkLedger()
        try bench.database.close()
    }
}
