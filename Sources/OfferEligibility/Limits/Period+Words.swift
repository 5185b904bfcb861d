import OfferModel

extension Period {
    /// The length in words, for messages: `3 months`, `90 days`, `48 hours`.
    var words: String {
        let seconds = Int(timeMilliseconds / Instant.Duration.second)
        let parts = [
            (months, "month"), (days, "day"), (seconds / 3_600, "hour"), (seconds / 60 % 60, "minute"),
            (seconds % 60, "second"),
        ]
        return parts.filter { $0.0 > 0 }.map { "\($0) \($1)\($0 == 1 ? "" : "s")" }.joined(separator: " ")
    }
}
