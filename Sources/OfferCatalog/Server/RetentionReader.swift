import OfferModel

/// Reads `retention` of `offerd.yaml`.
enum RetentionReader {
    /// A signature may be asked for again, and its slot counts, for 25 hours.
    private static let shortest = 2 * Instant.Duration.day

    static func read(_ field: Field) -> RetentionTerms {
        var terms = RetentionTerms()
        guard let mapping = field.mapping(["signatures", "refusals", "answers", "notifications"]) else { return terms }
        if let life = mapping.optional("signatures") { terms.signatures = life.life(atLeast: shortest, "P2D") }
        if let life = mapping.optional("refusals") { terms.refusals = life.life(atLeast: Instant.Duration.day, "P1D") }
        // docs/design.md#issuing: an answer is given again for 24 hours.
        if let life = mapping.optional("answers") { terms.answers = life.life(atLeast: Instant.Duration.day, "PT24H") }
        if let life = mapping.optional("notifications") {
            terms.notifications = life.life(atLeast: Instant.Duration.day, "P1D")
        }
        return terms
    }
}

extension Field {
    /// A period of fixed length in milliseconds; `nil` for `forever`.
    fileprivate func life(atLeast shortest: Int64, _ shortestText: String) -> Int64? {
        if case .scalar("forever", _) = node.content { return nil }
        guard let period = period() else { return nil }
        guard let life = period.fixedMilliseconds else {
            refuse(
                .invalidValue, "months and years have no fixed length", hint: "write days, such as `P90D`, or `forever`"
            )
            return nil
        }
        guard life >= shortest else {
            refuse(
                .outOfRange, "this is needed for longer", hint: "write `\(shortestText)` or more, or `forever`")
            return nil
        }
        return life
    }
}
