import OfferAPI
import OfferModel
import OfferSigning
import OfferStore
import Synchronization

/// Refusals that this process recorded, by the fingerprint of all that the answer depends on, so that an identical one
/// is answered with the same decision and records nothing (docs/decisions/0044).
///
/// Memory is bounded: of at most `2 × generationSize` entries those not asked for longest are forgotten first. What is
/// forgotten is recorded once more.
final class RecordedRefusals: Sendable {
    struct Entry: Sendable {
        var decisionId: LowercaseUUID
        var decidedAt: Instant
        var introductoryEligibility: IntroductoryEligibilityBody?

        /// The answer to a request that this decision refuses.
        func refusal(_ issuance: Issuance, _ outlook: Outlook) -> IssueRefusal {
            IssueRefusal(
                decisionId: decisionId, decision: issuance.decision, outlook: outlook,
                introductoryEligibility: introductoryEligibility, ignored: issuance.ignored,
                appSignals: issuance.snapshot.catalog.appSignals)
        }
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

extension Issuance {
    /// The SHA-256 of all that a refusal depends on and says, but for its instant: two requests with the same
    /// fingerprint are refused for the same reasons until the same turning point, and are the same record.
    ///
    /// Without values that change by themselves and leave the answer the same: the instant, the newest row, until when
    /// the history is complete, and counters that everyone shares. Where they do change the answer, a finding differs.
    ///
    /// - Parameters:
    ///   - record: the packed record.
    ///   - moving: the places of that in it.
    func fingerprint(
        of record: [UInt8], without moving: [Range<Int>], _ outlook: Outlook, _ digest: any Digest
    ) throws -> [UInt8] {
        var writer = PackedWriter(capacity: 1_024)
        let scope = caller.scope
        try writer.append(scope.bundleId, scope.environment.rawValue, caller.author.actor, question.offer.id)
        var rest = 0
        for range in moving {
            writer.append(each: record[rest..<range.lowerBound]) { $0.append(byte: $1) }
            rest = range.upperBound
        }
        writer.append(each: record[rest...]) { $0.append(byte: $1) }
        try writer.append(
            snapshot.generation, snapshot.version.customers.map { snapshot.version.changes[$0] ?? 0 },
            plan.transactionId?.rawValue)
        try Self.append(decision.findings, to: &writer)
        try writer.append(
            outlook.changesAt?.bounded, outlook.notBefore?.bounded, outlook.events.map(\.rawValue), outlook.isFinal)
        return digest.sha256(writer.bytes)
    }

    private static func append(_ findings: [Finding], to writer: inout PackedWriter) throws {
        try writer.append(each: findings) { writer, finding in
            try writer.append(finding.verdict, finding.reason)
            switch finding.turningPoint {
            case .at(let instant): try writer.append(instant.bounded)
            case .event(let event): try writer.append(event.rawValue)
            case nil: writer.append(byte: 0)
            }
            try append(finding.children ?? [], to: &writer)
        }
    }
}

extension Instant {
    /// The instant itself, or the last one that can be kept: arithmetic saturates beyond it.
    fileprivate var bounded: Instant {
        let bounds = InputBounds.storedIntegers
        return Instant(milliseconds: min(max(milliseconds, bounds.lowerBound), bounds.upperBound))
    }
}
