import OfferModel

extension Rule {
    /// The finding on several limits: each must hold. A single one is told by itself, several as children.
    ///
    /// - Parameters:
    ///   - none: what is said where there is no such limit.
    ///   - place: a limit's place among the offer's.
    func finding<Bound>(
        on limits: [Bound], none: @autoclosure @escaping @Sendable () -> String, place: (Bound) -> Int,
        judge: (Bound) -> Finding
    ) -> Finding {
        guard limits.count > 1 else { return limits.first.map(judge) ?? notApplicable(none()) }
        let findings = limits.map { limit in
            var finding = judge(limit)
            finding.path = "limits[\(place(limit))]"
            return finding
        }
        let verdict = Kleene.all(findings.map(\.verdict))
        let deciding = findings.filter { $0.verdict == verdict }
        return Finding(
            rule: id, verdict: verdict, reason: (deciding.first ?? findings[0]).reason,
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
