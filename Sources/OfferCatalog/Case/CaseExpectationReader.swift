import OfferModel

/// Reads a case's `expect`.
struct CaseExpectationReader {
    let vocabulary: CaseVocabulary

    func read(_ field: Field) -> CaseExpectation? {
        guard let mapping = field.mapping(["outcome", "findings", "state"]) else { return nil }
        let outcome = mapping.optional("outcome")?.word(among: vocabulary.outcomes)
        let fields = mapping.optional("findings")?.list() ?? []
        let findings = fields.compactMap(finding)
        let state = mapping.optional("state").flatMap(state)
        guard ["outcome", "findings", "state"].contains(where: mapping.has) else {
            field.refuse(
                .missingKey, "nothing is expected, so the case cannot fail",
                hint: "add an `outcome`, `findings` or a `state`")
            return nil
        }
        return CaseExpectation(outcome: outcome, findings: findings, state: state)
    }

    private func finding(_ field: Field) -> ExpectedFinding? {
        let keys = ["rule", "path", "verdict", "reason", "turningPoint", "transactionId", "message"]
        guard let mapping = field.mapping(keys) else { return nil }
        let rule = mapping.required("rule")?.word(among: vocabulary.rules)
        let verdict = mapping.required("verdict")?.word(among: vocabulary.verdicts)
        let reason = mapping.optional("reason")?.word(among: vocabulary.reasons)
        let turningPoint = mapping.expected("turningPoint", turningPoint)
        let id = mapping.optional("transactionId")?.text(.transactionId).map { TransactionId($0) }
        guard let rule, let verdict else { return nil }
        return ExpectedFinding(
            rule: rule, path: mapping.optional("path")?.text(), verdict: verdict, reason: reason,
            turningPoint: turningPoint, transactionId: id, message: mapping.optional("message")?.text())
    }

    private func turningPoint(_ field: Field) -> ExpectedTurningPoint? {
        guard let mapping = field.mapping(["at", "event"]) else { return nil }
        if mapping.has("event") {
            mapping.refuse(
                key: "at", .contradiction, "a turning point is an instant or an event", hint: "keep one of the two")
            return mapping.optional("event")?.word(among: vocabulary.events).map { .event($0) }
        }
        return mapping.required("at")?.caseInstant().map { .at($0) }
    }

    private func state(_ field: Field) -> ExpectedState? {
        let group = "subscriptionGroupIdentifier"
        guard let mapping = field.mapping(vocabulary.stateMembers + [group]) else { return nil }
        var members: [String: Expected<String>] = [:]
        for name in vocabulary.stateMembers where mapping.has(name) {
            members[name] = mapping.expected(name) { $0.stateText() }
        }
        guard !members.isEmpty else {
            field.refuse(
                .missingKey, "nothing is expected of the state",
                hint: "add one of \(vocabulary.stateMembers.map { "`\($0)`" }.joined(separator: ", "))")
            return nil
        }
        return ExpectedState(
            subscriptionGroupIdentifier: mapping.optional(group)?.text(.groupId).map { SubscriptionGroupId($0) },
            members: members)
    }
}

extension Field {
    /// A value as a state shows it: a moment in UTC whatever its offset, everything else as it is written.
    fileprivate func stateText() -> String? {
        guard let value = factValue() else { return nil }
        guard case .text(let text) = value, let instant = Instant(iso8601: text) else { return value.description }
        return instant.description
    }
}
