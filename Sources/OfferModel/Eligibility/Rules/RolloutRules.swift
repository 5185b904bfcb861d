/// The customer's draw is below the rollout's percentage (docs/design.md#decisions).
struct RolloutPercentRule: Rule {
    let id = RuleId.rolloutPercent
    var requirement: String { "the customer must be among those who get the offer" }

    func finding(_ context: RuleContext) -> Finding {
        guard let rollout = context.offer.rollout else { return notApplicable("the offer is for all customers") }
        let share = FactValue.number(rollout.percent)
        let threshold = RolloutDraw.threshold(percent: rollout.percent)
        if threshold >= RolloutDraw.count { return satisfied("the rollout is for all customers") }
        let salt = rollout.salt ?? context.offer.firstId.rawValue
        let draw = context.rolloutKey.map { RolloutDraw.draw(salt: salt, key: $0) }
        let evidence = [
            Evidence(field: "rollout.draw", observed: draw.map(EvidenceValue.number), required: .number(threshold)),
            Evidence(field: "rollout.salt", observed: .text(salt)),
        ]
        if threshold <= 0 {
            return violated(
                .notInRollout, "the rollout is at 0 %", evidence: evidence,
                turningPoint: .event(.catalogChanged))
        }
        guard let draw else {
            return unknown(
                "whether the customer is among the \(share) % of the rollout", .rolloutKeyUnknown, evidence: evidence)
        }
        guard draw < threshold else {
            return violated(
                .notInRollout, "the customer is not among the \(share) % of the rollout", evidence: evidence,
                turningPoint: .event(.catalogChanged))
        }
        return satisfied("the customer is among the \(share) % of the rollout", evidence: evidence)
    }
}

/// The customer is not in the holdout, which never gets the offer, so that its effect can be measured
/// (docs/design.md#decisions). The draw has a separate salt: being held out says nothing about being in the rollout.
struct RolloutHoldoutRule: Rule {
    let id = RuleId.rolloutHoldout
    var requirement: String { "the customer must not be held out for comparison" }

    func finding(_ context: RuleContext) -> Finding {
        guard let rollout = context.offer.rollout, rollout.holdout > 0 else {
            return notApplicable("the offer has no holdout")
        }
        let share = FactValue.number(rollout.holdout)
        let threshold = RolloutDraw.threshold(percent: rollout.holdout)
        let salt = context.question.compiledOffer.holdoutSalt
        let draw = context.rolloutKey.map { RolloutDraw.draw(salt: salt, key: $0) }
        let evidence = [
            Evidence(field: "holdout.draw", observed: draw.map(EvidenceValue.number), required: .number(threshold)),
            Evidence(field: "holdout.salt", observed: .text(salt)),
        ]
        if threshold >= RolloutDraw.count {
            return violated(
                .heldOut, "the holdout is 100 %", evidence: evidence, turningPoint: .event(.catalogChanged))
        }
        guard let draw else {
            return unknown(
                "whether the customer is among the \(share) % held out", .rolloutKeyUnknown, evidence: evidence)
        }
        guard draw >= threshold else {
            return violated(
                .heldOut, "the customer is among the \(share) % held out for comparison", evidence: evidence,
                turningPoint: .event(.catalogChanged))
        }
        return satisfied("the customer is not among the \(share) % held out", evidence: evidence)
    }
}

/// The number from 0 to 9,999 that a customer draws for one offer (docs/design.md#decisions).
///
/// It follows from salt and key alone, so nothing is stored, and raising a percentage removes no customer.
/// `Examples/conformance/README.md` has vectors for other implementations.
enum RolloutDraw {
    /// How many numbers there are: a hundredth of a percent each.
    static let count: UInt64 = 10_000

    /// fmix64(fnv1a64(UTF-8 of `<salt>\n<key>`)) mod 10,000.
    static func draw(salt: String, key: String) -> Int {
        let hashed = hash(hash(hash(offsetBasis, salt), "\n"), key)
        return Int(mixed(hashed) % count)
    }

    /// The numbers below it are that many percent of all.
    static func threshold(percent: Double) -> Int {
        Int(saturating: (percent * 100).rounded())
    }

    private static let offsetBasis: UInt64 = 0xCBF2_9CE4_8422_2325

    /// FNV-1a, 64 bits, of what was hashed and of the bytes that follow.
    private static func hash(_ hashed: UInt64, _ text: String) -> UInt64 {
        func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
            bytes.reduce(hashed) { ($0 ^ UInt64(truncatingIfNeeded: $1)) &* 0x0000_0100_0000_01B3 }
        }
        return text.utf8.withContiguousStorageIfAvailable { hash($0) } ?? hash(text.utf8)
    }

    /// The finaliser of MurmurHash3: every bit of the hash decides every bit of the result.
    private static func mixed(_ hash: UInt64) -> UInt64 {
        var mixed = hash
        mixed ^= mixed >> 33
        mixed &*= 0xFF51_AFD7_ED55_8CCD
        mixed ^= mixed >> 33
        mixed &*= 0xC4CE_B9FE_1A85_EC53
        mixed ^= mixed >> 33
        return mixed
    }
}
