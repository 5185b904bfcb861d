import ArgumentParser

/// How much of a decision is shown; every level is a view of the same answer.
enum DetailLevel: String, CaseIterable, ExpressibleByArgument {
    /// The answer, the sentence that decides it, and when it changes.
    case brief
    /// What stands against the offer, with what was seen.
    case normal
    /// Every rule, with what was seen.
    case full
}
