import Foundation
import OfferEligibility
import OfferModel

/// What a case expects: an outcome with the findings that determine it, a state, or both.
struct Expectation: Sendable {
    var outcome: Outcome?
    /// Every finding that determines the outcome is listed; others may be.
    var findings: [ExpectedFinding] = []
    var state: ExpectedState?

    init(_ member: Member) throws {
        self = try member.object { object in
            var expected = Expectation()
            expected.outcome = try object["outcome"]?.oneOf(Outcome.self)
            expected.findings = try object["findings"]?.list().map(ExpectedFinding.init) ?? []
            expected.state = try object["state"].map(ExpectedState.init)
            return expected
        }
    }

    private init() {}
}

/// A finding by its rule and path; everything that is listed must be equal.
struct ExpectedFinding: Sendable {
    let rule: RuleId
    let path: String?
    let verdict: Verdict
    let reason: ReasonCode?
    /// `none` is written as null.
    let turningPoint: TurningPoint??
    let transactionId: TransactionId?
    let message: String?

    init(_ member: Member) throws {
        self = try member.object(Self.init)
    }

    private init(_ object: Members) throws {
        rule = try object.required("rule").oneOf(RuleId.self)
        path = try object["path"]?.text()
        verdict = try object.required("verdict").oneOf(Verdict.self)
        reason = try object["reason"]?.oneOf(ReasonCode.self)
        turningPoint = try object["turningPoint"].map(Self.turningPoint)
        transactionId = try object["transactionId"].map { TransactionId(try $0.text()) }
        message = try object["message"]?.text()
    }

    private static func turningPoint(_ member: Member) throws -> TurningPoint? {
        if case .null = member.value { return nil }
        return try member.object { object in
            if let event = object["event"] { return .event(try event.oneOf(TurningEvent.self)) }
            return .at(try object.required("at").instant())
        }
    }

    /// Where the finding is among a decision's, nodes of the condition included.
    func find(in findings: [Finding]) -> Finding? {
        for finding in findings where finding.rule == rule {
            if finding.path == path { return finding }
            if let child = find(in: finding.children ?? []) { return child }
        }
        return nil
    }
}

/// Members of a state that are listed must be equal.
struct ExpectedState: Sendable {
    let group: SubscriptionGroupId
    let members: [(name: String, value: String)]

    init(_ member: Member) throws {
        var group = SubscriptionGroupId("21500001")
        var members: [(name: String, value: String)] = []
        try member.object { object in
            if let other = object["subscriptionGroupIdentifier"] { group = SubscriptionGroupId(try other.text()) }
            for (name, member) in object.each() where name != "subscriptionGroupIdentifier" {
                members.append((name, try Self.text(member)))
            }
        }
        self.group = group
        self.members = members
    }

    private static func text(_ member: Member) throws -> String {
        switch member.value {
        case .null: return "null"
        case .text(let text): return Instant(iso8601: text)?.description ?? text
        default: return try member.factValue().description
        }
    }

    /// The same member of a state, as text; `nil` for a name that is no member.
    static func text(_ state: SubscriptionState, _ name: String) -> String? {
        let value: (any CustomStringConvertible)?
        switch name {
        case "state": value = state.name?.rawValue
        case "undetermined": value = state.standing.undeterminedReason?.rawValue
        case "hasAccess": value = state.hasAccess
        case "willAutoRenew": value = state.willAutoRenew
        case "accessEnds": value = state.accessEnds
        case "daysLeft": value = state.daysLeft
        case "lastMomentToCancel": value = state.lastMomentToCancel
        case "transactionId": value = state.transaction?.transactionId
        case "isOwned": value = state.isOwned
        case "pendingProductId": value = state.pendingProductId
        case "renewalPrice": value = state.renewalPrice
        case "expirationIntent": value = state.expirationIntent?.rawValue
        case "revocationType": value = state.revocationType?.rawValue
        default: return nil
        }
        return value?.description ?? "null"
    }
}
