/// Compares an offer's limits by the server's words for them: `1 per customer in P90D; 10000 in all`.
enum LimitComparison {
    /// - Parameter unlimited: how often a customer may have the offer without limits, where that is known.
    static func effect(from: String, to: String, unlimited: String?) -> CatalogEffect {
        guard let old = allowances(from), let new = allowances(to) else { return .unknown }
        var effect = CatalogEffect(words: "")
        for kind in Set(old.keys).union(new.keys) {
            // No limit of a kind allows everything.
            let (before, after) = (old[kind] ?? .infinity, new[kind] ?? .infinity)
            if after > before { effect.widens = true }
            if after < before { effect.takesAway = true }
        }
        effect.words =
            switch (effect.widens, effect.takesAway) {
            case (true, false):
                new.isEmpty
                    ? "without limits, \(unlimited ?? "each customer may have it again and again")"
                    : "it may be issued more often"
            case (false, true): "it may be issued less often; customers who had more keep it"
            case (true, true): "in one way it may be issued more often, in another less"
            case (false, false): "the same limits in another order"
            }
        return effect
    }

    /// The smallest allowance by the words after the number, since every limit must hold; `nil` if one is not
    /// understood.
    private static func allowances(_ text: String) -> [String: Double]? {
        var result: [String: Double] = [:]
        for limit in text.split(separator: "; ") {
            let parts = limit.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let allowance = Double(parts[0]) else { return nil }
            result[String(parts[1])] = min(allowance, result[String(parts[1])] ?? .infinity)
        }
        return result
    }
}
