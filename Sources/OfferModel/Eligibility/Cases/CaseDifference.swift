public struct CaseDifference: Sendable, Hashable, Encodable {
    /// The rule of the finding, and its place in the offer's condition if it has one; `nil` for the decision as a whole
    /// or a state.
    public var rule: String?
    public var path: String?
    public var aspect: Aspect
    /// The expected value; `nil` for nothing.
    public var expected: String?
    public var got: String?
    public var message: String?

    public enum Aspect: Sendable, Hashable, CustomStringConvertible, Encodable {
        case outcome
        case finding
        /// A rule that decides the outcome and is not among the expected findings.
        case unlistedRule
        case verdict
        case reason
        case turningPoint
        case transactionId
        case message
        case state(String)

        public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }

        /// The word for it, such as `turningPoint` or `state.hasAccess`.
        public var description: String {
            switch self {
            case .outcome: "outcome"
            case .finding: "finding"
            case .unlistedRule: "unlistedRule"
            case .verdict: "verdict"
            case .reason: "reason"
            case .turningPoint: "turningPoint"
            case .transactionId: "transactionId"
            case .message: "message"
            case .state(let member): "state.\(member)"
            }
        }
    }
}

extension CaseFile {
    /// Decides a case with the one evaluator and compares (invariant 4).
    ///
    /// - Returns: every difference; none if the case passes.
    public func differences(of asked: OfferCase, policy: Policy = .standard) -> [CaseDifference] {
        let expected = asked.expected
        var differences: [CaseDifference] = []
        if expected.outcome != nil || !expected.findings.isEmpty,
            let decision = decision(of: asked, policy: policy)
        {
            differences += expected.differences(from: decision)
        }
        if let state = expected.state {
            differences += state.differences(from: stateMembers(of: asked, policy: policy))
        }
        return differences
    }

    /// The decision about the offer that a case asks for; `nil` if it asks for none.
    public func decision(of asked: OfferCase, policy: Policy = .standard) -> Decision? {
        asked.offer.flatMap(offer).map {
            decide(question(asked, about: $0), facts: facts(of: asked, policy: policy), policy: policy)
        }
    }

    /// The state of the group that a case has an expectation of, by member: by default the group of the
    /// product.
    public func stateMembers(of asked: OfferCase, policy: Policy = .standard) -> [String: String] {
        let product = asked.productId ?? asked.offer.flatMap(offer)?.products.first
        let usual = catalog?.subscriptionGroups.first?.id ?? CaseWorld.group(of: CaseWorld.product.productId)
        let named = asked.expected.state?.subscriptionGroupIdentifier
        let subject = Subject(
            facts(of: asked, policy: policy), at: asked.asOf, policy: policy.scaled(for: asked.environment))
        let state = subject.state(of: named ?? product.flatMap(group) ?? usual, at: asked.asOf)
        return StateMember.allCases.reduce(into: [:]) { members, member in
            members[member.rawValue] = member.text(of: state)
        }
    }
}

extension CaseExpectation {
    fileprivate func differences(from decision: Decision) -> [CaseDifference] {
        var differences: [CaseDifference] = []
        if let outcome, outcome != decision.outcome {
            differences.append(
                CaseDifference(aspect: .outcome, expected: outcome.rawValue, got: decision.outcome.rawValue))
        }
        differences += findings.flatMap { $0.differences(from: decision.findings) }
        return differences + unlisted(decision)
    }

    /// A case passes for the reasons it names and no others.
    private func unlisted(_ decision: Decision) -> [CaseDifference] {
        guard outcome != nil, decision.outcome != .eligible else { return [] }
        let deciding: Verdict = decision.outcome == .ineligible ? .violated : .undetermined
        let listed = Set(findings.map(\.rule))
        return decision.findings.filter { $0.verdict == deciding && !listed.contains($0.rule) }.map {
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
                CaseDifference(
                    rule: rule.rawValue, path: path, aspect: .finding, expected: verdict.rawValue, got: nil)
            ]
        }
        var differences: [CaseDifference] = []
        func compare(_ aspect: CaseDifference.Aspect, _ expected: String?, _ got: String?) {
            guard expected != got else { return }
            differences.append(
                CaseDifference(
                    rule: rule.rawValue, path: path, aspect: aspect, expected: expected, got: got,
                    message: found.message))
        }
        compare(.verdict, verdict.rawValue, found.verdict.rawValue)
        if let reason { compare(.reason, reason.rawValue, found.reason.rawValue) }
        switch turningPoint {
        case nil: break
        case .nothing: compare(.turningPoint, nil, found.turningPoint?.description)
        case .value(let value): compare(.turningPoint, value, found.turningPoint?.description)
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
        for finding in findings where finding.rule == rule {
            if finding.path == path { return finding }
            if let child = find(in: finding.children ?? []) { return child }
        }
        return nil
    }
}

extension ExpectedState {
    fileprivate func differences(from state: [String: String]) -> [CaseDifference] {
        members.sorted { $0.key < $1.key }.compactMap { name, expected in
            let wanted: String? = if case .value(let text) = expected { text } else { nil }
            guard wanted != state[name] else { return nil }
            return CaseDifference(aspect: .state(name), expected: wanted, got: state[name])
        }
    }
}

public enum StateMember: String, CaseIterable {
    case state, undetermined, hasAccess, willAutoRenew, accessEnds, daysLeft, lastMomentToCancel,
        transactionId, isOwned, pendingProductId, renewalPrice, expirationIntent, revocationType

    func text(of state: SubscriptionState) -> String? {
        let value: (any CustomStringConvertible)? =
            switch self {
            case .state: state.name?.rawValue
            case .undetermined: state.resolution.undeterminedReason?.rawValue
            case .hasAccess: state.hasAccess
            case .willAutoRenew: state.willAutoRenew
            case .accessEnds: state.accessEnds
            case .daysLeft: state.daysLeft
            case .lastMomentToCancel: state.lastMomentToCancel
            case .transactionId: state.transaction?.transactionId
            case .isOwned: state.isOwned
            case .pendingProductId: state.pendingProductId
            case .renewalPrice: state.renewalPrice
            case .expirationIntent: state.expirationIntent?.rawValue
            case .revocationType: state.revocationType?.rawValue
            }
        return value?.description
    }
}
