/// A node of an offer's own condition, with its path. Shared wherever a catalog asks the same at the same path, so
/// known by identity.
final class CompiledNode: Sendable, Placed {
    /// Such as `all[1].any[0]`; `nil` at the root.
    let path: String?
    let kind: Kind
    let place: Int
    let readsOffers: Bool

    enum Kind: Sendable {
        case group(Group, [CompiledNode])
        case comparison(CompiledComparison)
    }

    /// How the verdicts of the nodes below make one.
    enum Group: String, Sendable {
        case all
        case any
        /// Of a single node.
        case not
    }

    init(_ kind: Kind, path: String?, place: Int) {
        self.kind = kind
        self.path = path
        self.place = place
        readsOffers =
            switch kind {
            case .group(_, let nodes): nodes.contains(where: \.readsOffers)
            case .comparison(let comparison): comparison.readsOffers
            }
    }
}

/// A part of a catalog that is compiled with others, so that values about each can be kept by its index.
protocol Placed: AnyObject {
    /// From 0, in the order in which they were made.
    var place: Int { get }

    /// Whether a fact in it depends on the catalog, so that each offer has a separate answer.
    var readsOffers: Bool { get }
}

/// The nodes of a catalog during compilation, each once.
struct CompiledNodes {
    private var known: [Key: CompiledNode] = [:]
    private var comparisons: [ComparisonKey: CompiledComparison] = [:]

    private struct Key: Hashable {
        let path: String?
        let group: CompiledNode.Group?
        let parts: [ObjectIdentifier]
    }

    /// Texts that Swift considers equal are told apart by their bytes, and zeros by their sign.
    private struct ComparisonKey: Hashable {
        let comparison: Comparison
        let words: [UInt8]
        let signs: [FloatingPointSign]
    }

    mutating func compiled(_ node: RuleNode, path: String? = nil) -> CompiledNode {
        switch node {
        case .all(let nodes): return group(.all, of: nodes, path: path)
        case .any(let nodes): return group(.any, of: nodes, path: path)
        case .not(let node):
            let inner = compiled(node, path: Self.path("not", below: path))
            return compiled(.group(.not, [inner]), Key(path: path, group: .not, parts: [ObjectIdentifier(inner)]))
        case .comparison(let comparison):
            let inner = compiled(comparison)
            return compiled(.comparison(inner), Key(path: path, group: nil, parts: [ObjectIdentifier(inner)]))
        }
    }

    private mutating func group(_ group: CompiledNode.Group, of nodes: [RuleNode], path: String?) -> CompiledNode {
        var inner: [CompiledNode] = []
        for (index, node) in nodes.enumerated() {
            inner.append(compiled(node, path: Self.path("\(group.rawValue)[\(index)]", below: path)))
        }
        return compiled(
            .group(group, inner), Key(path: path, group: group, parts: inner.map { ObjectIdentifier($0) }))
    }

    private mutating func compiled(_ kind: CompiledNode.Kind, _ key: Key) -> CompiledNode {
        if let known = known[key] { return known }
        let node = CompiledNode(kind, path: key.path, place: known.count)
        known[key] = node
        return node
    }

    private mutating func compiled(_ comparison: Comparison) -> CompiledComparison {
        let key = ComparisonKey(
            comparison: comparison, words: Array("\(comparison.fact) \(comparison.operands)".utf8),
            signs: comparison.operands.compactMap(\.number).map(\.sign))
        if let known = comparisons[key] { return known }
        let compiled = CompiledComparison(comparison, place: comparisons.count)
        comparisons[key] = compiled
        return compiled
    }

    private static func path(_ step: String, below path: String?) -> String { path.map { "\($0).\(step)" } ?? step }
}

extension CompiledNode.Group {
    func combine(_ verdicts: some Sequence<Verdict>) -> Verdict {
        switch self {
        case .all: Kleene.all(verdicts)
        case .any: Kleene.any(verdicts)
        // Not one of them may hold.
        case .not: Kleene.not(Kleene.any(verdicts))
        }
    }
}

/// A comparison with its fact's name read. Shared wherever a catalog asks the same, so known by identity.
final class CompiledComparison: Sendable, Placed {
    let comparison: Comparison
    /// `nil` is a name that no fact has.
    let name: FactName?
    /// `nil` where the values themselves say it.
    let type: FactType?
    let numbers: [Double]
    let required: EvidenceValue?
    let place: Int

    init(_ comparison: Comparison, place: Int) {
        self.place = place
        self.comparison = comparison
        name = FactName(comparison.fact)
        type = name?.type
        numbers = comparison.operands.compactMap(\.number)
        required =
            switch comparison.comparisonOperator {
            case .exists: nil
            case .in, .notIn, .between: .list(comparison.operands)
            case .is, .isNot, .atLeast, .atMost, .moreThan, .lessThan:
                comparison.operands.first.map(EvidenceValue.value)
            }
    }

    var readsOffers: Bool {
        guard case .redeemed = name else { return false }
        return true
    }
}
