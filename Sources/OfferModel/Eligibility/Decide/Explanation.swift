/// A decision in plain words: the answer, the one sentence that decides it, and when it changes.
///
/// A pure function of the decision, so that the same findings always read the same. What is left out here is in the
/// findings; `offerctl dry-run --detail` shows as much of them as is asked for.
public struct Explanation: Sendable, Hashable {
    public var outcome: Outcome
    /// The finding that matters most: of the reasons against the offer the one that goes away last, those that never do
    /// first. Absent without any.
    public var decisive: Finding?
    /// What staff is told first, and how many more reasons there are.
    public var told: Finding?
    public var others: Int
    public var outlook: Outlook
    /// What support has granted, where the offer needs it.
    var grant: Message?
    /// Whether the customer cancelled a subscription of their own that still gives access and blocks the offer.
    public var isCancelledAndActive: Bool

    public init(_ decision: Decision, outlook: Outlook) {
        outcome = decision.outcome
        self.outlook = outlook
        decisive = decision.decisive
        grant = decision.findings.first { $0.rule == .grantApplied && $0.verdict == .satisfied }?.sentence
        isCancelledAndActive = decision.findings.contains {
            $0.reason == .activeInGroup && $0.evidence.contains { $0.field == Evidence.willAutoRenew }
        }
        (told, others) = decision.told
    }

    /// For staff: it may speak of other offers, limits and counts.
    public var sentence: String {
        guard let told else { return grant?.text ?? "all rules pass" }
        let more = others == 0 ? "" : " (and \(others) other \(others == 1 ? "reason" : "reasons"))"
        return told.message + more
    }

    /// When the answer changes, in words, such as `eligible from 2026-12-14T09:00:00Z if nothing else changes`.
    public var change: String {
        if let instant = outlook.changesAt {
            let word = outcome == .eligible ? "until" : "from"
            return "eligible \(word) \(instant) if nothing else changes"
        }
        if outcome == .eligible { return "eligible for as long as nothing else changes" }
        guard !outlook.isFinal, !outlook.events.isEmpty else { return "this will not change" }
        // A subscription that is bought changes too.
        let events = outlook.events.filter {
            $0 != .subscriptionChanged || !outlook.events.contains(.subscriptionBought)
        }.map(\.clause).joined(separator: " and ")
        let earliest = outlook.notBefore.map { ", not before \($0)" } ?? ""
        return "not eligible until \(events)\(earliest)"
    }
}

extension Decision {
    /// The finding that matters most, see ``Explanation/decisive``.
    public var decisive: Finding? {
        let verdict: Verdict = outcome == .undetermined ? .undetermined : .violated
        var best: Int?
        // Of equals, the first in the order of the rules. By place: a finding has many members.
        for place in findings.indices where findings[place].verdict == verdict {
            if best.map({ findings[place].rank > findings[$0].rank }) ?? true { best = place }
        }
        return best.map { findings[$0] }
    }

    /// What staff is told first, and how many more reasons there are: while a grant waits for an open issued offer, what
    /// it will lift is no reason, and the wait is the last one.
    public var told: (finding: Finding?, others: Int) {
        let grant = findings.first { $0.rule == .grantApplied && $0.verdict == .notApplicable }
        let isWaiting =
            grant != nil && findings.contains { $0.verdict.isInTheWay && $0.rule.isLiftedByGrants }
        let left = isWaiting ? Decision(findings: findings.filter { !$0.rule.isLiftedByGrants }) : self
        let reasons = left.findings.indices.count { left.findings[$0].verdict.isInTheWay }
        return (left.decisive ?? (isWaiting ? grant : nil), max(0, reasons - 1))
    }
}

extension Finding {
    /// A blocking rule that lasts longer ranks higher: for ever, then until an event, then until the later date.
    fileprivate var rank: (Int, Instant) {
        switch turningPoint {
        case nil: (2, .distantPast)
        case .event: (1, .distantPast)
        case .at(let instant): (0, instant)
        }
    }
}

extension TurningEvent {
    /// The event that has to happen, to follow "when" or "until".
    public var clause: String {
        switch self {
        case .historyCompleted: "the customer's complete purchase history is sent"
        case .renewalInfoReceived: "newer renewal info arrives"
        case .transactionReceived: "a transaction signed by Apple arrives"
        case .subscriptionBought: "the customer buys a subscription"
        case .subscriptionEnded: "the customer's subscription ends"
        case .subscriptionChanged: "the customer's subscription changes"
        case .offerEnded: "the pending or running offer ends"
        case .signalReceived: "the backend sends the signal, or a different value of it"
        case .attributesSet: "the backend sets the attribute, or a different value of it"
        case .requestChanged: "the request states what is missing, or a different value"
        case .offerRedeemed: "the customer redeems an offer"
        case .catalogChanged: "a new catalog is applied"
        case .offerResumed: "the pause is lifted"
        }
    }
}
