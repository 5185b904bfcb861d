import Foundation
import OfferEligibility
import OfferModel
import OfferTestSupport

@testable import OfferApplication

extension DecisionRecord {
    /// A record with random members, read from JSON that Foundation writes.
    ///
    /// - Parameter isFull: whether every member is there that may be absent.
    static func random(_ generator: inout SeededGenerator, isFull: Bool) throws -> DecisionRecord {
        var source = RandomRecord(generator: generator, isFull: isFull)
        defer { generator = source.generator }
        let data = try JSONSerialization.data(withJSONObject: source.record())
        return try JSONDecoder().decode(DecisionRecord.self, from: data)
    }
}

/// Makes the members of random records.
private struct RandomRecord {
    var generator: SeededGenerator
    let isFull: Bool

    mutating func record() throws -> [String: Any] {
        var record: [String: Any] = [
            "now": moment(), "order": order(), "catalogRevision": number(), "pause": one(of: Pause.self),
            "productId": text(), "needsNewSigning": flag(), "formats": list { $0.one(of: SignatureFormat.self) },
            "signals": try facts(), "customers": [number(), number()], "attributes": try facts(),
            "request": chosen(["appVersion": text(), "osVersion": text(), "locale": text()]),
            "openedAt": named { $0.moment() },
            "identifiers": ["originalTransactionIds": list { $0.text() }, "appTransactionIds": list { $0.text() }],
            "historySequence": number(), "slots": list { $0.slot() }, "coverage": text(),
            "decision": try decision(), "signatures": list { $0.signature() },
        ]
        record.merge(
            chosen([
                "firstStoredAt": moment(), "rolloutKey": text(), "keptEvidence": [kept()],
                "counters": counters(), "coverageAsOf": moment(), "coverageProvenance": one(of: Provenance.self),
            ])
        ) { $1 }
        return record
    }

    private mutating func order() -> [String: Any] {
        chosen([
            "originalTransactionId": text(), "appTransactionId": text(), "appAccountToken": uuid(),
            "customerId": text(),
        ]).merging(["formats": list { $0.one(of: SignatureFormat.self) }, "fresh": flag()]) { $1 }
    }

    private mutating func slot() -> [String: Any] {
        chosen(["voidedAt": moment(), "settledAt": moment()]).merging([
            "id": uuid(), "signings": number(), "expiresAt": moment(), "countsUntil": moment(), "isReleased": flag(),
        ]) { $1 }
    }

    private mutating func signature() -> [String: Any] {
        chosen(["transactionId": text(), "appAccountToken": uuid()]).merging([
            "nonce": uuid(),
            "format": ["v1", "v2", "introductoryEligibility"].randomElement(using: &generator) ?? "v1",
            "keyId": text(), "timestamp": moment(),
        ]) { $1 }
    }

    private mutating func counters() -> [String: Any] {
        let place = chosen(["cost": number(), "currency": text()]).merging(["id": uuid(), "countsUntil": moment()]) {
            $1
        }
        let ending = chosen(["at": moment()]).merging(["unit": "places", "amount": number()]) { $1 }
        return [
            "asOf": moment(), "places": number(), "spent": ["USD": number(), "EUR": number()],
            "unmatched": [text(): number()], "open": [place], "endings": [ending, ending],
        ]
    }

    private mutating func decision() throws -> [String: Any] {
        let findings = try list { try $0.finding(depth: 0) }
        return ["outcome": one(of: Outcome.self), "findings": findings]
    }

    private mutating func finding(depth: Int) throws -> [String: Any] {
        let point: [String: Any] =
            flag() ? ["at": moment()] : ["event": one(of: TurningEvent.self)]
        let nodes = depth < 2 ? try list { try $0.finding(depth: depth + 1) } : []
        return chosen(["path": text(), "turningPoint": point, "children": nodes]).merging([
            "rule": one(of: RuleId.self), "verdict": one(of: Verdict.self), "reason": one(of: ReasonCode.self),
            "message": text(), "evidence": try list { try $0.evidence() },
        ]) { $1 }
    }

    private mutating func evidence() throws -> [String: Any] {
        chosen([
            "observed": try fact(), "required": [try fact(), try fact()], "provenance": one(of: Provenance.self),
            "transactionId": text(),
        ]).merging(["field": text()]) { $1 }
    }

    private mutating func facts() throws -> [String: Any] {
        try named { try $0.fact() }
    }

    /// Three members with random names, which may be the same.
    private mutating func named(_ value: (inout RandomRecord) throws -> Any) rethrows -> [String: Any] {
        try (0..<3).reduce(into: [:]) { members, _ in members[text()] = try value(&self) }
    }

    private mutating func kept() -> [String: Any] {
        chosen([
            "offerType": number(), "offerIdentifier": text(), "offerPeriod": text(), "expires": moment(),
            "revoked": moment(), "slotId": uuid(),
        ]).merging([
            "kind": one(of: KeptEvidence.Kind.self), "originalTransactionId": text(),
            "subscriptionGroupIdentifier": text(), "productId": text(), "at": moment(), "isRenewal": flag(),
            "isUpgraded": flag(), "provenance": one(of: Provenance.self),
        ]) { $1 }
    }

    private mutating func fact() throws -> Any {
        let data = try JSONEncoder().encode([FactValue.random(&generator)])
        return (try JSONSerialization.jsonObject(with: data) as? [Any])?.first ?? 0
    }

    private mutating func text() -> String { .random(&generator) }
    private mutating func number() -> Int { .random(in: -5...5_000_000_000, using: &generator) }
    private mutating func moment() -> Int { .random(in: -5...5_000_000_000_000, using: &generator) }
    private mutating func flag() -> Bool { .random(using: &generator) }
    private mutating func uuid() -> String {
        LowercaseUUID(version4From: (0..<16).map { _ in .random(in: .min ... .max, using: &generator) }).description
    }

    private mutating func one<Word: CaseIterable & RawRepresentable<String>>(of type: Word.Type) -> String {
        type.allCases.randomElement(using: &generator)?.rawValue ?? ""
    }

    private mutating func list<Element>(_ element: (inout RandomRecord) throws -> Element) rethrows -> [Element] {
        try (0..<Int.random(in: (isFull ? 1 : 0)...2, using: &generator)).map { _ in try element(&self) }
    }

    /// Some of the members, all of them if the record is to be full.
    private mutating func chosen(_ members: [String: Any]) -> [String: Any] {
        let isFull = isFull
        // In an order that is the same in every process, as what is drawn must be.
        return members.sorted { $0.key < $1.key }.reduce(into: [:]) { chosen, member in
            if isFull || flag() { chosen[member.key] = member.value }
        }
    }
}
