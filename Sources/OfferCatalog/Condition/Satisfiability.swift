import OfferModel

/// Whether demands can hold together: exact about each fact by itself and about what the state of the subscription says
/// of its facts, and "yes" wherever it does not know. So it never calls impossible what is possible.
struct Satisfiability {
    /// How many comparisons with an operand one catalog may cost; beyond it everything counts as possible.
    private var work: Int

    init(work: Int = 5_000_000) {
        self.work = work
    }

    /// Whether there is work left; without, nothing is called impossible any more.
    var isWilling: Bool { work > 0 }

    /// Whether all of the demands can hold at once.
    mutating func canHold(_ demands: [Demand]) -> Bool {
        canHold(demands, [])
    }

    /// Collects what has to hold anyway, then tries the alternatives of one group after the other.
    private mutating func canHold(_ demands: [Demand], _ claims: [Claim]) -> Bool {
        var claims = claims
        var choices: [[Demand]] = []
        var waiting = demands
        while let demand = waiting.popLast() {
            work -= 1
            switch demand {
            case .comparison(let claim): claims.append(claim)
            case .all(let children, _): waiting += children
            case .any(let children, _): choices.append(children)
            }
        }
        guard isWilling else { return true }
        guard areCompatible(claims) else { return false }
        guard let alternatives = choices.popLast() else { return true }
        let rest = choices.map { Demand.any($0, path: "") }
        for alternative in alternatives where canHold(rest + [alternative], claims) { return true }
        return false
    }

    private mutating func areCompatible(_ claims: [Claim]) -> Bool {
        // Those that are not plain decide nothing and are looked at all the same.
        work -= claims.count
        guard isWilling else { return true }
        var points: [String: [FactPoint]] = [:]
        for (fact, claims) in Dictionary(grouping: claims.filter(\.comparison.isPlain), by: \.comparison.fact) {
            let operands = claims.reduce(0) { $0 + $1.comparison.operands.count + 1 }
            // A few points for each operand, each compared with every operand; then with every world.
            work -= 4 * operands * operands + SubscriptionWorld.all.count
            guard isWilling else { return true }
            let possible = FactPoints.all(of: fact, comparedBy: claims.map(\.comparison)).filter { point in
                claims.allSatisfy { $0.comparison.holds(at: point) == $0.holds }
            }
            guard !possible.isEmpty else { return false }
            points[fact] = possible
        }
        guard LinkedFacts.areCompatible(points) else { return false }
        return SubscriptionWorld.all.contains { world in
            points.allSatisfy { fact, points in points.contains { world.allows($0, of: fact) } }
        }
    }
}
