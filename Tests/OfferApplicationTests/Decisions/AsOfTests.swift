import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@Suite("Deciding as of another instant")
struct AsOfTests {
    /// What was decided, and when.
    private struct Past {
        var step: String
        var instant: Instant
        var answer: InquiryAnswer
    }

    @Test(
        "asked for an earlier instant, the answer is what it was then, whatever was signed, issued, voided, paused or applied since (invariant 4)",
        arguments: [20_261_121, 7, 42, 99, 1_234, 555] as [UInt64])
    func sameAsThen(seed: UInt64) async throws {
        let bench = try await Workbench()
        bench.tolerateOverrun()
        var generator = SeededGenerator(seed: seed)
        var world = World(bench: bench)
        var past = [Past]()
        for _ in 0..<14 {
            let step = try await world.step(&generator)
            past.append(Past(step: step, instant: bench.clock.now, answer: try await Self.decide(bench)))
            bench.clock.advance(
                hours: Int64.random(in: 0...40, using: &generator),
                milliseconds: Int64.random(in: 1...3_000_000, using: &generator))
        }
        let before = try await bench.ledger()
        let steps = past.map(\.step)
        for then in past {
            let again = try await Self.decide(bench, asOf: then.instant)
            // Whether the customer is known is said of the present.
            #expect(
                again.decisions == then.answer.decisions && again.choice == then.answer.choice,
                "seed \(seed), after \(then.step) of \(steps)")
        }
        let after = try await bench.ledger()
        #expect(after.sequence == before.sequence && after.lastInstant == before.lastInstant)
        #expect(
            Set(past.map { $0.answer.decisions.map(\.decision.outcome) }).count > 1, "nothing ever changed: \(steps)")
    }

    private static func decide(_ bench: Workbench, asOf: Instant? = nil) async throws -> InquiryAnswer {
        try await bench.useCases.decisions.decide(
            Inquiry(customer: named("100"), asOf: asOf),
            caller: Workbench.caller(.support))
    }

    @Test("a millisecond before a purchase nothing is known, from its signature on it is")
    func edge() async throws {
        let bench = try await Workbench()
        bench.clock.advance(hours: 1)
        let signed = bench.clock.now
        try await bench.deliver(try World.delivery(.subscriber, bench))
        for (offset, rules) in [(-1, [RuleId.promotionalEverSubscribed]), (0, []), (1, [])] as [(Int64, [RuleId])] {
            let answer = try await bench.useCases.decisions.decide(
                Inquiry(
                    customer: named("100"), offerIds: ["comeback"],
                    asOf: signed.adding(milliseconds: offset)),
                caller: Workbench.caller(.support))
            #expect(answer.decisions.map(\.decision.obstacles) == [rules], "\(offset)")
        }
    }

    @Test("an open issued offer has the signings and the end it had then")
    func signings() async throws {
        let bench = try await Workbench()
        let first = bench.clock.now
        _ = try await bench.granted(.of("twice", try World.delivery(.lapsed, bench)))
        bench.clock.advance(hours: 23, milliseconds: 20 * Instant.Duration.minute)
        _ = try await bench.granted(IssueRequest(offerId: "twice", customer: named("100")))
        func finding(_ minutes: Int64) async throws -> Finding? {
            let instant = first.adding(milliseconds: minutes * Instant.Duration.minute)
            return try await bench.useCases.decisions.decide(
                Inquiry(customer: named("100"), offerIds: ["twice"], asOf: instant),
                caller: Workbench.caller(.support)
            ).decisions.first?.decision[.limitSignatures]
        }
        // Its first signature has less than an hour to live, so another signing would be needed; then there is one.
        let needed = try await finding(23 * 60 + 10)
        #expect(needed?.verdict == .satisfied)
        #expect(needed?.evidence.first?.observed == .value(.number(1)), "\(String(describing: needed))")
        #expect(try await finding(23 * 60 + 20)?.verdict == .notApplicable)
        #expect(try await finding(60)?.verdict == .notApplicable)
    }
}
