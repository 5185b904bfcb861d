import OfferModel

/// A decision in plain words: the answer, the one sentence that decides it, and when it changes.
///
/// A pure function of the decision, so that the same findings always read the same. What is left out here is in the
/// findings; `offerctl dry-run --detail` shows as much of them as is asked for.
public struct Explanation: Sendable, Hashable {
    /// The answer.
    public var outcome: Outcome
    /// The finding that matters most: of those that stand against the offer the one that goes away last, first those
    /// that nothing known would change. Absent if nothing stands against it.
    public var decisive: Finding?
    /// How many other findings stand against the offer.
    public var others: Int
    /// When the answer changes.
    public var outlook: Outlook

    /// Explains a decision.
    ///
    /// - Parameter outlook: the decision's own.
    public init(_ decision: Decision, outlook: Outlook) {
        outcome = decision.outcome
        self.outlook = outlook
        decisive = decision.decisive
        others = max(0, decision.obstacles.count - 1)
    }

    /// For staff: it may speak of other offers, limits and counts.
    public var sentence: String {
        guard let decisive else { return "every rule that applies holds" }
        let more = others == 0 ? "" : " (and \(others) more \(others == 1 ? "rule stands" : "rules stand") against it)"
        return decisive.message + more
    }

    /// When the answer changes, in words, such as `eligible from 2026-12-14T09:00:00Z if nothing else changes`.
    public var change: String {
        if let instant = outlook.changesAt {
            let word = outcome == .eligible ? "until" : "from"
            return "eligible \(word) \(instant) if nothing else changes"
        }
        if outcome == .eligible { return "eligible for as long as nothing else changes" }
        guard !outlook.isFinal, !outlook.events.isEmpty else { return "nothing known would make the customer eligible" }
        let events = outlook.events.map(\.clause).joined(separator: " and ")
        let earliest = outlook.notBefore.map { ", not before \($0)" } ?? ""
        return "not eligible before \(events)\(earliest)"
    }
}

extension Decision {
    /// The finding that matters most, see ``Explanation/decisive``.
    public var decisive: Finding? {
        let verdict: Verdict = outcome == .undetermined ? .undetermined : .violated
        // Of equals, the first in the order of the rules.
        return findings.filter { $0.verdict == verdict }.reduce(nil) { best, finding in
            guard let best else { return finding }
            return finding.rank > best.rank ? finding : best
        }
    }
}

extension Finding {
    /// What goes away later ranks higher: never, then by an event, then by the later date.
    fileprivate var rank: (Int, Instant) {
        switch turningPoint {
        case nil: (2, .distantPast)
        case .event: (1, .distantPast)
        case .at(let instant): (0, instant)
        }
    }
}
