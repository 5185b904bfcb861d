import OfferAPI
import OfferApplication
import OfferModel
import Testing

@Suite("An erasure beside requests that are under way")
struct ErasureBesideRequestsTests {
    /// The application of a server where the customer is erased just before a write.
    private func useCases(_ erasing: ErasingBench, erasedBefore write: Int, _ person: CustomerIdentifiers) -> UseCases {
        let counter = Counter()
        return erasing.useCases(
            over: InterposedDatabase(
                real: erasing.bench.database,
                beforeWrite: {
                    guard counter.next() == write else { return }
                    try await erasing.erase(person)
                }))
    }

    @Test(
        "an issue that was decided before the erasure, or refused, signs nothing and records nothing of it",
        arguments: [(Scene.lapsed, "comeback"), (.subscriber, "comeback"), (.subscriber, "back")] as [(Scene, OfferId)])
    func issue(scene: Scene, offer: OfferId) async throws {
        let erasing = try await ErasingBench()
        let bench = erasing.bench
        try await bench.deliver(try bench.shop.delivery(scene, "100"))
        let person = CustomerIdentifiers(originalTransactionId: "100")
        let useCases = useCases(erasing, erasedBefore: 1, person)
        let error = await #expect(throws: RequestError.self) {
            _ = try await useCases.issuing.issue(
                IssueRequest(offerId: offer, customer: person), caller: Workbench.client)
        }
        guard case .busy? = error else {
            Issue.record("answered with \(String(describing: error))")
            return
        }
        #expect(try await bench.count("issued_offer") == 0)
        #expect(try await bench.count("decision") == 0)
        #expect(try await bench.count("history_transaction") == 0)
        #expect(try await bench.count("customer_identifier") == 0)
        #expect(try await bench.count("erasure") == 1)
    }

    @Test(
        "what is recorded about who was erased between two reads of a request is what it brought after the erasure",
        arguments: 1...4)
    func betweenReads(read: Int) async throws {
        let erasing = try await ErasingBench()
        let bench = erasing.bench
        let delivery = try bench.shop.delivery(.lapsed, "100")
        try await bench.deliver(delivery)
        let person = CustomerIdentifiers(originalTransactionId: "100")
        let counter = Counter()
        let useCases = erasing.useCases(
            over: InterposedDatabase(
                real: bench.database,
                beforeRead: {
                    guard counter.next() == read else { return }
                    try await erasing.erase(person)
                }))
        let answer = try? await useCases.issuing.issue(
            IssueRequest(offerId: "comeback", customer: person, delivery: delivery), caller: Workbench.client)
        let isStored = try await bench.count("history_transaction") > 0
        #expect((answer != nil) == isStored, "answered without the data that the answer rests on")
        #expect(try await bench.count("decision") == (isStored ? 1 : 0))
        #expect(try await bench.count("erasure") == (counter.total >= read ? 1 : 0))
    }

    @Test("an identifier that names nobody, identifiers of two people, and an account of two people are refused")
    func naming() async throws {
        let erasing = try await ErasingBench()
        let (bench, data) = (erasing.bench, erasing.data)
        for id in ["100", "200"] { try await bench.deliver(try bench.shop.delivery(.lapsed, id)) }
        let other = Scope(bundleId: "com.example.pro", environment: .sandbox)
        let nobody: [(CustomerIdentifiers, Scope)] = [
            (named("300"), Workbench.scope), (named("100"), other),
            (CustomerIdentifiers(originalTransactionId: "100", customerId: "nobody"), Workbench.scope),
        ]
        for (identifiers, scope) in nobody {
            let error = await #expect(throws: RequestError.self) {
                _ = try await data.held(about: identifiers, in: scope)
            }
            guard case .unknownCustomer? = error else {
                Issue.record("\(identifiers) in \(scope): \(String(describing: error))")
                continue
            }
        }
        let two = CustomerIdentifiers(originalTransactionId: "100", appTransactionId: "app-200")
        let error = await #expect(throws: RequestError.self) { _ = try await data.plan(for: two, in: Workbench.scope) }
        guard case .ambiguousCustomer? = error else {
            Issue.record("answered with \(String(describing: error))")
            return
        }
    }
}
