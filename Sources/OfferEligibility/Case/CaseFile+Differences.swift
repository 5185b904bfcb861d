public import OfferModel

extension CaseFile {
    /// Decides a case with the one evaluator and compares (invariant 4).
    ///
    /// - Returns: every difference; none if the case passes.
    public func differences(of asked: OfferCase, policy: Policy = .standard) -> [CaseDifference] {
        let facts = facts(of: asked, policy: policy)
        var differences: [CaseDifference] = []
        let expected = asked.expected
        if expected.outcome != nil || !expected.findings.isEmpty, let offer = asked.offer.flatMap(offer) {
            let decision = decide(question(asked, about: offer), facts: facts, policy: policy)
            differences += expected.differences(from: decision)
        }
        if let state = expected.state {
            differences += state.differences(from: self, asked, facts, policy)
        }
        return differences
    }
}

extension CaseExpectation {
    fileprivate func differences(from decision: Decision) -> [CaseDifference] {
        var differences: [CaseDifference] = []
        if let outcome, outcome != decision.outcome.rawValue {
            differences.append(
                CaseDifference(aspect: .outcome, expected: outcome, got: decision.outcome.rawValue))
        }
        differences += findings.flatMap { $0.differences(from: decision.findings) }
        return differences + unlisted(decision)
    }

    /// A case passes for the reasons it names and no others.
    private func unlisted(_ decision: Decision) -> [CaseDifference] {
        guard outcome != nil, decision.outcome != .eligible else { return [] }
        let deciding: Verdict = decision.outcome == .ineligible ? .violated : .undetermined
        let listed = Set(findings.map(\.rule))
        return decision.findings.filter { $0.verdict == deciding && !listed.contains($0.rule.rawValue) }.map {
            CaseDifference(
                rule: $0.rule.rawValue, aspect: .unlistedRule, expected: nil,
                got: "\($0.verdict.rawValue) (\($0.reason.rawValue))", message: $0.message)
        }
    }
}

extension ExpectedFinding {
    fileprivate func differences(from findings: [Finding]) -> [CaseDifference] {
        guard let found = find(in: findings) else {
            return [
                CaseDifference(rule: rule, path: path, aspect: .finding, expected: verdict, got: nil)
            ]
        }
        var differences: [CaseDifference] = []
        func compare(_ aspect: CaseDifference.Aspect, _ expected: String?, _ got: String?) {
            guard expected != got else { return }
            differences.append(
                CaseDifference(
                    rule: rule, path: path, aspect: aspect, expected: expected, got: got, message: found.message))
        }
        compare(.verdict, verdict, found.verdict.rawValue)
        if let reason { compare(.reason, reason, found.reason.rawValue) }
        switch turningPoint {
        case nil: break
        case .nothing: compare(.turningPoint, nil, found.turningPoint?.text)
        case .value(let value): compare(.turningPoint, value.text, found.turningPoint?.text)
        }
        let transactions = found.evidence.compactMap(\.transactionId)
        if let transactionId, !transactions.contains(transactionId) {
            let named = transactions.map(\.rawValue).joined(separator: ", ")
            compare(.transactionId, transactionId.rawValue, named.isEmpty ? nil : named)
        }
        if let message { compare(.message, message, found.message) }
        return differences
    }

    /// The finding of that rule and path, nodes of the condition included.
    private func find(in findings: [Finding]) -> Finding? {
        for finding in findings where finding.rule.rawValue == rule {
            if finding.path == path { return finding }
            if let child = find(in: finding.children ?? []) { return child }
        }
        return nil
    }
}

extension ExpectedState {
    fileprivate func differences(
        from file: CaseFile, _ asked: OfferCase, _ facts: SubjectFacts, _ policy: Policy
    ) -> [CaseDifference] {
        let product = asked.productId ?? asked.offer.flatMap(file.offer)?.products.first
        let usual = file.catalog?.subscriptionGroups.first?.id ?? CaseWorld.group(of: CaseWorld.product.productId)
        let group = subscriptionGroupIdentifier ?? product.flatMap(file.group) ?? usual
        let subject = Subject(facts, at: asked.asOf, policy: policy)
        let state = subject.state(of: group, at: asked.asOf)
        return members.sorted { $0.key < $1.key }.compactMap { name, expected in
            let wanted: String? = if case .value(let text) = expected { text } else { nil }
            let found = StateMember(rawValue: name)?.text(of: state)
            guard wanted != found else { return nil }
            return CaseDifference(aspect: .state(name), expected: wanted, got: found)
        }
    }
}

extension TurningPoint {
    /// The instant or the event, in the words of a case.
    fileprivate var text: String {
        switch self {
        case .at(let instant): instant.description
        case .event(let event): event.rawValue
        }
    }
}

extension ExpectedTurningPoint {
    fileprivate var text: String {
        switch self {
        case .at(let instant): instant.description
        case .event(let event): event
        }
    }
}
