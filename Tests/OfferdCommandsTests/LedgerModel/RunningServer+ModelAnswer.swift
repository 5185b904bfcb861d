/// The parts of an answer that the model test reads.
extension RunningServer.Answer {
    /// The rules that its findings name.
    var rules: Set<String> {
        Set((json["findings"] as? [[String: Any]] ?? []).compactMap { $0["rule"] as? String })
    }

    /// By format.
    var artefacts: [String: String] {
        let signatures = json["signatures"] as? [String: Any]
        let v1 = (signatures?["v1"] as? [String: Any])?["signature"] as? String
        let v2 = (signatures?["v2"] as? [String: Any])?["jws"] as? String
        return [("v1", v1), ("v2", v2)].reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    /// Of a dry-run: the rules that say no to each offer.
    var outcomes: [String: Set<String>] {
        let decisions = json["decisions"] as? [[String: Any]] ?? []
        return decisions.reduce(into: [:]) { outcomes, decision in
            guard let offer = decision["offerId"] as? String, let outcome = decision["outcome"] as? String else {
                return
            }
            let rules = (decision["findings"] as? [[String: Any]] ?? []).compactMap { $0["rule"] as? String }
            outcomes[offer] = outcome == "eligible" ? [] : Set(rules + (outcome == "undetermined" ? [outcome] : []))
        }
    }
}
