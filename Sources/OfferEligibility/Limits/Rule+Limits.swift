import OfferModel

extension Rule {
    /// The finding on several limits: each must hold. A single one is told by itself, several as children.
    ///
    /// - Parameters:
    ///   - limits: each limit's place among the offer's, and what was found.
    ///   - none: what is said where there is no such limit.
    func finding(on limits: [(index: Int, finding: Finding)], none: String) -> Finding {
        let findings = limits.map { limit in
            var finding = limit.finding
            if limits.count > 1 { finding.path = "limits[\(limit.index)]" }
            return finding
        }
        guard findings.count > 1, let first = findings.first else { return findings.first ?? notApplicable(none) }
        let verdict = Kleene.all(findings.map(\.verdict))
        let deciding = findings.filter { $0.verdict == verdict }
        return Finding(
            rule: id, verdict: verdict, reason: (deciding.first ?? first).reason,
            sentence: Message { deciding.map(\.message).joined(separator: "; and ") },
            turningPoint: lastToFree(findings.filter { $0.verdict != .satisfied }), children: findings)
    }

    /// Every limit must have a place: one that never frees decides, else one that waits for an event, else the last.
    private func lastToFree(_ findings: [Finding]) -> TurningPoint? {
        let turningPoints = findings.compactMap(\.turningPoint)
        guard turningPoints.count == findings.count else { return nil }
        return turningPoints.first { $0.event != nil } ?? turningPoints.compactMap(\.instant).max().map(TurningPoint.at)
    }
}
