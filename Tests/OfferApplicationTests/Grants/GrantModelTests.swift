import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Grants beside a plain model of them")
struct GrantModelTests {
    private static let catalog =
        TestCatalog.head + TestCatalog.shared("{ count: 1, per: customer }", id: "once")
        + TestCatalog.shared("{ count: 2 }", id: "few")
        + TestCatalog.shared("{ spend: \"19.98\", currency: USD }", id: "dear")

    @Test(
        "limits, totals and budgets, grants, revocations, ends, redemptions and merges: who gets what, and the counters (invariant 2)",
        arguments: 1...200 as ClosedRange<UInt64>)
    func random(seed: UInt64) async throws {
        var run = try await Run(seed: seed, catalog: Self.catalog)
        for step in 0..<24 { try await run.step(step) }
        try await run.bench.checkLedger()
    }

    /// One run: what the service has, beside what the model has.
    private struct Run {
        let bench: Workbench
        let seed: UInt64
        let deliveries: [SignedDelivery]
        var generator: SeededGenerator
        var model = GrantModel()
        /// The ids of the model's issued offers and grants, by their places.
        var issued: [LowercaseUUID] = []
        var granted: [LowercaseUUID] = []

        init(seed: UInt64, catalog: String) async throws {
            (self.seed, generator) = (seed, SeededGenerator(seed: seed))
            let bench = try await Workbench(catalog: catalog)
            // A merge may leave more uses than are allowed.
            bench.tolerateOverrun()
            self.bench = bench
            deliveries = try (0..<4).map { try bench.shop.anonymous("\(100 + $0)") }
            for delivery in deliveries { try await bench.deliver(delivery) }
        }

        mutating func step(_ step: Int) async throws {
            bench.clock.advance(
                hours: [0, 0, 1, 3, 9, 20].randomElement(using: &generator) ?? 0, milliseconds: 60_000)
            let customer = Int.random(in: 0..<4, using: &generator)
            let offer = ["once", "few", "dear"].randomElement(using: &generator) ?? "once"
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5: try await issue(customer, offer, step)
            case 5..<7: try await grant(customer, offer, step)
            case 7: try await revoke(step)
            case 8: try await redeem(step)
            default: try await merge(customer)
            }
            try await compare(step)
        }

        private var now: Instant { bench.clock.now }

        private mutating func issue(_ customer: Int, _ offer: String, _ step: Int) async throws {
            let expected = model.issue(customer, offer, at: now)
            let answer = try await bench.useCases.issuing.issue(
                IssueRequest(offerId: OfferId(offer), customer: named("\(100 + customer)")), caller: Workbench.client)
            bench.note(answer)
            let place: Comment = "seed \(seed), step \(step): \(offer) of \(customer)"
            switch expected {
            case .refused: #expect(answer.refusal != nil, place)
            case .again(let known): #expect(answer.issued?.offer.id == issued[known], place)
            case .new(let grant):
                let new = try #require(answer.issued, place).offer
                #expect(!issued.contains(new.id), place)
                #expect(new.grantId == grant.map { granted[$0] }, place)
                issued.append(new.id)
            }
        }

        private mutating func grant(_ customer: Int, _ offer: String, _ step: Int) async throws {
            let hours = Bool.random(using: &generator) ? Int64.random(in: 1...40, using: &generator) : nil
            let end = hours.map { now.adding(milliseconds: $0 * Instant.Duration.hour) }
            let known = model.openGrant(customer, offer, at: now)
            do {
                let grant = try await bench.useCases.grants.grant(
                    OfferId(offer), to: named("\(100 + customer)"), reason: "\(step)", expiresAt: end,
                    caller: Workbench.support)
                #expect(known == nil, "seed \(seed), step \(step)")
                granted.append(grant.grantId)
                model.grants.append(
                    GrantModel.Grant(customer: customer, offer: offer, grantedAt: now, expiresAt: end))
            } catch RequestError.grantExists(let id, _) {
                #expect(known.map { granted[$0] } == id, "seed \(seed), step \(step)")
            }
        }

        private mutating func revoke(_ step: Int) async throws {
            guard let place = model.grants.indices.randomElement(using: &generator) else { return }
            do {
                let view = try await bench.useCases.grants.revoke(granted[place], caller: Workbench.support)
                #expect(!model.grants[place].isUsed && view.state == .revoked, "seed \(seed), step \(step)")
                model.grants[place].isRevoked = true
            } catch RequestError.grantUsed {
                #expect(model.grants[place].isUsed, "seed \(seed), step \(step)")
            }
        }

        /// Redeems an issued offer whose signature lives; each customer redeems one, so that no run goes on another.
        private mutating func redeem(_ step: Int) async throws {
            let now = now
            let living = model.issues.indices.filter { place in
                let issue = model.issues[place]
                return !model.hasRedeemed(issue.customer)
                    && now < issue.signedAt.adding(milliseconds: 24 * Instant.Duration.hour)
            }
            guard let place = living.randomElement(using: &generator) else { return }
            let issue = model.issues[place]
            let like = try #require(deliveries[issue.customer].signedTransactions.first)
            let use = try bench.shop.redemption(of: "\(issue.offer)50", "\(900 + step)", like: like, at: now)
            try await bench.deliver(SignedDelivery(signedTransactions: [use]))
            model.redeem(issue.customer, issue.offer, at: now)
        }

        /// Proves a customer to be the one before, unless both have redeemed something.
        private mutating func merge(_ customer: Int) async throws {
            let other = (customer + 1) % 4
            guard model.owner(customer) != model.owner(other),
                !(model.hasRedeemed(customer) && model.hasRedeemed(other))
            else { return }
            // An Apple Account is proven once: a customer who was merged keeps to it.
            guard Set((0..<4).map(model.owner)).count == 4 else { return }
            for delivery in [deliveries[customer], deliveries[other]] {
                try await bench.deliver(try bench.shop.proof(delivery, of: "app-100"))
            }
            model.merge(customer, other, at: now)
        }

        private func compare(_ step: Int) async throws {
            let now = now
            let counted = try await bench.database.read { transaction in
                let scope = try #require(try ScopeStore(transaction).number(of: Workbench.scope))
                return try ["once", "few", "dear"].map { offer in
                    let used = try CounterStore(transaction).used(of: OfferId(offer), at: now, in: scope)
                    return [used[.places] ?? 0, used[.money("USD")] ?? 0]
                }
            }
            let expected = ["once", "few", "dear"].map { offer in
                let places = Int64(model.places(of: offer, at: now))
                return [places, places * 9_990]
            }
            #expect(counted == expected, "seed \(seed), step \(step)")
        }
    }
}
