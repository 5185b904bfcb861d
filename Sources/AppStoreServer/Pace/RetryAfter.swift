import OfferModel

/// When a server wants to be asked again.
enum RetryAfter {
    /// Reads `Retry-After`: Apple sends UNIX milliseconds ("Rate limit exceeded": `errorCode` 4290000), HTTP means
    /// seconds from now (RFC 9110 §10.2.3). A year of seconds and a date in milliseconds are a thousandfold apart, so the
    /// number tells which it is.
    ///
    /// - Returns: `nil` for anything else, such as the form with a date's name.
    static func instant(_ text: String, now: Instant) -> Instant? {
        let digits = text.drop { $0 == " " }
        guard !digits.isEmpty, digits.utf8.count <= 15, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(digits)
        else { return nil }
        return number < leastDate
            ? now.adding(milliseconds: number * Instant.Duration.second) : Instant(milliseconds: number)
    }

    /// 2001-09-09 in milliseconds; in seconds it is 31,000 years.
    private static let leastDate: Int64 = 1_000_000_000_000
}
