package import OfferModel

/// The signals and attributes without which a decision cannot be made, or whose values are of another type than the
/// condition compares them with.
package struct MissingFacts: Sendable, Hashable {
    /// Those that the holder of the key brings, as conditions name them: `signals.sessions`.
    package private(set) var named: [String] = []
    /// Whether a signal, or an attribute, is missing that only a backend can bring.
    package private(set) var backendsSignals = false
    package private(set) var backendsAttributes = false

    /// - Parameter appSignals: the signals that the catalog lets an `app` key state. An app gets to know no others: what
    ///   the terms of an offer go by is the operator's.
    package init(_ findings: [Finding], for role: Role, appSignals: [String]) {
        for finding in findings { add(finding, role, appSignals) }
        named = Set(named).sorted()
    }

    private mutating func add(_ finding: Finding, _ role: Role, _ appSignals: [String]) {
        guard finding.verdict == .undetermined else { return }
        if let children = finding.children, !children.isEmpty {
            return children.forEach { add($0, role, appSignals) }
        }
        guard [.signalMissing, .attributeMissing, .typeMismatch].contains(finding.reason),
            let field = finding.evidence.first?.field
        else { return }
        switch FactName(field) {
        case .signal(let name) where role != .app || appSignals.contains(name): named.append(field)
        case .signal: backendsSignals = true
        case .attribute where role != .app: named.append(field)
        case .attribute: backendsAttributes = true
        default: break
        }
    }

    /// The names of the signals alone: `sessions`.
    package var signals: [String] { names(after: FactVocabulary.signalPrefix) }
    package var attributes: [String] { names(after: FactVocabulary.attributePrefix) }

    private func names(after prefix: String) -> [String] {
        named.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
}
