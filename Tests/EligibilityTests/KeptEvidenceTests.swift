import OfferModel
import OfferTestSupport
import Testing

/// A subscription of consecutive months, some with an offer, cut in two where its history is erased.
private struct CutSubscription {
    var rows: [Recorded<Transaction>] = []
    var infos: [Recorded<RenewalInfo>] = []
    let cut: Instant

    private static let start = Instant(milliseconds: 1_767_225_600_000)

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
        var begins = Self.start
        var stated = "P1M"
        let count = Int.random(in: 2...9, using: &generator)
        var offer: OfferIdentifier?
        for month in 0..<count {
            let hasGap = chance(15)
            if hasGap { begins = begins.adding(milliseconds: 9 * Instant.Duration.day) }
            if chance(40) {
                offer = [nil, "comeback50", "comeback50", "other"].randomElement(using: &generator) ?? nil
            }
            if chance(30) { stated = ["P1M", "P2M", "P3M"].randomElement(using: &generator) ?? "P1M" }
            let isPurchase = month == 0 || hasGap && chance(50)
            let length = stated
            let transaction = Transaction.fixture(TransactionId("\(month + 1)"), original: "1", purchased: begins) {
                $0.offerType = offer == nil ? nil : .promotional
                $0.offerIdentifier = offer
                $0.offerPeriod = offer == nil ? nil : length
                $0.transactionReason = isPurchase ? .purchase : .renewal
            }
            rows.append(Self.row(transaction))
            if chance(30) {
                let shown = ["comeback50", "other"].randomElement(using: &generator) ?? "other"
                let info = RenewalInfo.fixture(
                    "1",
                    signed: begins.adding(
                        milliseconds: Int64.random(in: 1...20, using: &generator) * Instant.Duration.day)
                ) {
                    $0.offerType = .promotional
                    $0.offerIdentifier = OfferIdentifier(rawValue: shown)
                }
                infos.append(Self.row(info))
            }
            begins = begins.adding(months: 1)
        }
        let last = Int.random(in: 0..<count, using: &generator)
        cut = rows[last].payload.purchaseDate.adding(milliseconds: 25 * Instant.Duration.day)
    }

    private static func row<Payload>(_ payload: Payload) -> Recorded<Payload> {
        Recorded(payload: payload, payloadBytes: [], provenance: .client, sequence: 1)
    }

    func facts(_ isIn: (Instant) -> Bool) -> SubjectFacts {
        SubjectFacts(
            history: History(
                transactions: rows.filter { isIn($0.payload.purchaseDate) },
                renewalInfos: infos.filter { isIn($0.payload.signedDate) }))
    }

    var whole: SubjectFacts { facts { _ in true } }
    var early: SubjectFacts { facts { $0 <= cut } }
    var late: SubjectFacts { facts { $0 > cut } }
}

@Suite("Uses that outlive their history")
struct KeptEvidenceTests {
    private func shown(_ redemptions: [Redemption]) -> [String] {
        redemptions.map { "\($0.offerIdentifier?.rawValue ?? "-") \($0.firstEvidence)" }
    }

    @Test("an erased history and what came later show the uses that the whole history shows (invariant 2)")
    func later() {
        for seed in UInt64(0)..<2_000 {
            let cut = CutSubscription(seed: seed)
            var facts = cut.late
            facts.keptEvidence = cut.early.evidenceToKeep()
            #expect(shown(facts.redemptions()) == shown(cut.whole.redemptions()), "seed \(seed)")
        }
    }

    @Test("an erased history that is shown again whole is counted once (invariant 2)")
    func again() {
        for seed in UInt64(0)..<2_000 {
            let cut = CutSubscription(seed: seed)
            var facts = cut.whole
            facts.keptEvidence = cut.early.evidenceToKeep()
            #expect(shown(facts.redemptions()) == shown(cut.whole.redemptions()), "seed \(seed)")
        }
    }

    @Test("whatever part of an erased history is shown again, the uses are the same (invariants 2 and 7)")
    func partly() {
        for seed in UInt64(0)..<2_000 {
            let cut = CutSubscription(seed: seed)
            var generator = SeededGenerator(seed: seed &+ 1)
            var facts = cut.facts { _ in true }
            facts.history.transactions.removeAll {
                $0.payload.purchaseDate <= cut.cut && Bool.random(using: &generator)
            }
            facts.history.renewalInfos.removeAll { $0.payload.signedDate <= cut.cut && Bool.random(using: &generator) }
            facts.keptEvidence = cut.early.evidenceToKeep()
            #expect(shown(facts.redemptions()) == shown(cut.whole.redemptions()), "seed \(seed)")
        }
    }

    @Test("erased twice is as erased once")
    func twice() {
        for seed in UInt64(0)..<500 {
            let cut = CutSubscription(seed: seed)
            var facts = cut.late
            facts.keptEvidence = cut.early.evidenceToKeep()
            var again = SubjectFacts()
            again.keptEvidence = facts.evidenceToKeep()
            #expect(shown(again.redemptions()) == shown(cut.whole.redemptions()), "seed \(seed)")
        }
    }
}
