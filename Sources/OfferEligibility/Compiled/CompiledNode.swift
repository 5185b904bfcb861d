import OfferModel

/// A node of an offer's own condition, with its place in it.
struct CompiledNode: Sendable {
    /// Such as `all[1].any[0]`; `nil` at the root.
    let path: String?
    let kind: Kind

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

    init(_ node: RuleNode, path: String?, _ comparisons: inout CompiledComparisons) {
        func place(_ step: String) -> String { path.map { "\($0).\(step)" } ?? step }
        func nodes(_ children: [RuleNode], of group: Group) -> [CompiledNode] {
            children.enumerated().map { index, child in
                CompiledNode(child, path: place("\(group.rawValue)[\(index)]"), &comparisons)
            }
        }
        self.path = path
        kind =
            switch node {
            case .all(let children): .group(.all, nodes(children, of: .all))
            case .any(let children): .group(.any, nodes(children, of: .any))
            case .not(let child): .group(.not, [CompiledNode(child, path: place("not"), &comparisons)])
            case .comparison(let comparison): .comparison(comparisons.compiled(comparison))
            }
    }
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
