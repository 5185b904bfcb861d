/// Three-valued logic over verdicts: what is not known decides only where it cannot matter.
enum Kleene {
    /// Violated if any is, else undetermined if any is; nothing to hold is held.
    static func all(_ verdicts: some Sequence<Verdict>) -> Verdict {
        verdicts.reduce(.satisfied) { left, right in
            if left == .violated || right == .violated { return .violated }
            return left == .undetermined || right == .undetermined ? .undetermined : .satisfied
        }
    }

    /// Satisfied if any is, else undetermined if any is; nothing to choose from is not held.
    static func any(_ verdicts: some Sequence<Verdict>) -> Verdict {
        not(all(verdicts.map(not)))
    }

    /// The opposite; what is not known stays so.
    static func not(_ verdict: Verdict) -> Verdict {
        switch verdict {
        case .satisfied: .violated
        case .violated: .satisfied
        case .undetermined, .notApplicable: verdict
        }
    }
}
