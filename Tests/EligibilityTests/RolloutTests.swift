import Foundation
import Testing

@testable import OfferModel

@Suite("rollouts")
struct RolloutTests {
    /// Salt, key and draw, as Examples/conformance/README.md publishes them: made with another implementation.
    private static let vectors: [(salt: String, key: String, draw: Int)] = [
        ("spring", "2000000000000001", 5994), ("spring", "2000000000000002", 6744),
        ("comeback-half-price", "70000000001", 5933), ("holdout:comeback-half-price", "70000000001", 486),
        ("spring", "0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b", 4065), ("holdout:spring", "user-17", 5136),
        ("frühling", "müller@example.com", 209), ("", "", 7334),
    ]

    @Test("the published vectors come out", arguments: vectors)
    func vector(salt: String, key: String, draw: Int) {
        #expect(RolloutDraw.draw(salt: salt, key: key) == draw)
    }

    @Test("Examples/conformance/README.md publishes exactly these vectors")
    func published() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "Examples/conformance/README.md"), encoding: .utf8)
        let section = try #require(page.components(separatedBy: "\n## ").first { $0.hasPrefix("Rollouts\n") })
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows == Self.vectors.map { "| `\($0.salt)` | `\($0.key)` | \($0.draw) |" })
    }

    @Test(
        "of 100,000 customers each percentage gets its share within half a percent of all, and raising it moves nobody out"
    )
    func shares() {
        let draws = (0..<100_000).map { RolloutDraw.draw(salt: "spring", key: String(2_000_000_000_000_000 + $0)) }
        #expect(draws.allSatisfy { (0..<10_000).contains($0) })
        var before: Set<Int> = []
        for percent in [0.0, 0.5, 1, 5, 12.25, 33, 50, 75, 99.99, 100] {
            let threshold = RolloutDraw.threshold(percent: percent)
            let chosen = Set(draws.indices.filter { draws[$0] < threshold })
            #expect(abs(Double(chosen.count) / 1_000 - percent) < 0.5, "\(percent) %: \(chosen.count)")
            #expect(before.isSubset(of: chosen), "\(percent) %")
            before = chosen
        }
        #expect(before.count == draws.count)
    }

    @Test("who is held out is independent of who is in: a tenth of either half of 100,000 customers")
    func independence() {
        var counts = [0, 0]
        var held = [0, 0]
        for number in 0..<100_000 {
            let isIn = RolloutDraw.draw(salt: "half", key: "\(number)") < 5_000
            counts[isIn ? 1 : 0] += 1
            if RolloutDraw.draw(salt: "holdout:half", key: "\(number)") < 1_000 { held[isIn ? 1 : 0] += 1 }
        }
        for side in 0...1 {
            #expect(abs(Double(held[side]) / Double(counts[side]) - 0.1) < 0.005)
        }
    }

    @Test("the evidence shows the draw, the threshold and the salt")
    func evidence() throws {
        var offer = Offer(
            id: "half", type: .promotional, delivery: .signature, offerIdentifier: "half50",
            products: ["com.example.pro.monthly"], paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1,
            limits: [])
        offer.rollout = Rollout(percent: 50, holdout: 5)
        let question = Question(
            now: Instant(milliseconds: 0), scope: Scope(bundleId: "com.example.pro", environment: .production),
            offer: offer, productId: "com.example.pro.monthly", subscriptionGroupIdentifier: "21500001")
        let findings = decide(question, facts: SubjectFacts(rolloutKey: "706")).findings
        let percent = try #require(findings.first { $0.rule == .rolloutPercent })
        #expect(
            percent.evidence == [
                Evidence(field: "rollout.draw", observed: .number(4_999), required: .number(5_000)),
                Evidence(field: "rollout.salt", observed: .text("half")),
            ])
        let holdout = try #require(findings.first { $0.rule == .rolloutHoldout })
        #expect(
            holdout.evidence == [
                Evidence(
                    field: "holdout.draw", observed: .number(RolloutDraw.draw(salt: "holdout:half", key: "706")),
                    required: .number(500)),
                Evidence(field: "holdout.salt", observed: .text("holdout:half")),
            ])
    }
}
