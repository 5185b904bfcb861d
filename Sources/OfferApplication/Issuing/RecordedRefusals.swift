import OfferModel
import OfferSigning
import Synchronization

/// Refusals that this process recorded, by the fingerprint of all that the answer depends on, so that an identical one is
/// answered with the same decision and records nothing (docs/decisions/0044).
///
/// Memory is bounded: of at most `2 × generationSize` entries those not asked for longest are forgotten first. What is
/// forgotten is recorded once more.
final class RecordedRefusals: Sendable {
    struct Entry: Sendable {
        var decisionId: LowercaseUUID
        var decidedAt: Instant
        /// The statement that blocks the introductory offer, if one was signed.
        var introductoryEligibility: IntroductoryOfferEligibilitySignature?
    }

    /// Some 100 bytes an entry, and 1 KB more where something was signed.
    static let generationSize = 8_192

    private struct Generations {
        var young: [[UInt8]: Entry] = [:]
        var old: [[UInt8]: Entry] = [:]

        mutating func put(_ entry: Entry, _ fingerprint: [UInt8]) {
            if young.count >= generationSize, young[fingerprint] == nil {
                old = young
                young = [:]
            }
            young[fingerprint] = entry
        }
    }

    private let generations = Mutex(Generations())

    /// How many are remembered.
    var count: Int { generations.withLock { $0.young.count + $0.old.count } }

    func entry(_ fingerprint: [UInt8]) -> Entry? {
        generations.withLock { generations in
            if let entry = generations.young[fingerprint] { return entry }
            guard let entry = generations.old.removeValue(forKey: fingerprint) else { return nil }
            generations.put(entry, fingerprint)
            return entry
        }
    }

    /// To be called once the decision is durable.
    func remember(_ entry: Entry, _ fingerprint: [UInt8]) {
        generations.withLock { $0.put(entry, fingerprint) }
    }
}
