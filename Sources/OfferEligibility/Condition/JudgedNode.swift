import OfferModel

/// A node's finding, and how its verdict goes on: by reference, because the offers that share the node share it.
final class JudgedNode: Sendable {
    let finding: Finding
    let course: VerdictCourse

    init(_ finding: Finding, _ course: VerdictCourse) {
        self.finding = finding
        self.course = course
    }

    /// The same of the same comparison at a place in a condition.
    func placed(at path: String?) -> JudgedNode {
        guard path != finding.path else { return self }
        var placed = finding
        placed.path = path
        return JudgedNode(placed, course)
    }
}

/// What nodes and comparisons said of one subject at one instant, for the other offers that ask the same.
struct JudgedNodes {
    var nodes = Judgements<CompiledNode>()
    var comparisons = Judgements<CompiledComparison>()
}

/// What was found of things made ready together, by their places: that is quicker than to hash them.
///
/// One of another catalog may have the same place. It is told apart, and only the last of them is kept.
struct Judgements<Made: Placed> {
    private var found: [(made: Made, judged: JudgedNode)?] = []

    /// What was found of something; `nil` too where each offer has an answer of its own.
    subscript(made: Made) -> JudgedNode? {
        get {
            guard made.place < found.count, let known = found[made.place], known.made === made else { return nil }
            return known.judged
        }
        set {
            guard !made.readsOffers else { return }
            while found.count <= made.place { found.append(nil) }
            found[made.place] = newValue.map { (made, $0) }
        }
    }
}
