/// Moments as people read them, always with their zone.
package enum TimeText {
    /// `2026-12-01 00:00 UTC`; seconds are shown only where there are any, and the milliseconds never.
    package static func absolute(_ instant: Instant) -> String {
        let text = Instant(milliseconds: instant.seconds.saturatingMultiplied(by: Instant.Duration.second)).description
        guard text.hasSuffix("Z") else { return text }
        let clock = text.dropLast().replacing("T", with: " ")
        return (clock.hasSuffix(":00") ? String(clock.dropLast(3)) : String(clock)) + " UTC"
    }

    /// `2026-12-01`: the day in UTC.
    package static func day(_ instant: Instant) -> String { String(absolute(instant).prefix { $0 != " " }) }

    /// A sentence with its instants as people read them; what is in backticks is quoted, and stays.
    package static func readable(_ sentence: String) -> String {
        TextPart.all(in: sentence).map { part in
            switch part {
            case .text(let text): text
            case .quote(let text): "`\(text)`"
            case .instant(let instant): absolute(instant)
            }
        }.joined()
    }

    /// `2026-12-01 00:00 UTC (in 9 days)`.
    package static func absolute(_ instant: Instant, now: Instant) -> String {
        "\(absolute(instant)) (\(relative(instant, now: now)))"
    }

    /// `in 9 days`, `in 30 hours`, `3 minutes ago`, `now`; rounded down.
    package static func relative(_ instant: Instant, now: Instant) -> String {
        let distance = instant.milliseconds(since: now)
        if distance == 0 { return "now" }
        return distance < 0 ? "\(length(distance.magnitude)) ago" : "in \(length(distance.magnitude))"
    }

    /// `9 days`, `30 hours`, `3 minutes`; rounded down.
    package static func length(_ milliseconds: UInt64) -> String {
        switch milliseconds {
        case ..<Instant.Duration.minute.magnitude: "less than a minute"
        case ..<Instant.Duration.hour.magnitude: (milliseconds / Instant.Duration.minute.magnitude).counted("minute")
        case ..<(2 * Instant.Duration.day.magnitude): (milliseconds / Instant.Duration.hour.magnitude).counted("hour")
        default: (milliseconds / Instant.Duration.day.magnitude).counted("day")
        }
    }
}

extension BinaryInteger {
    /// `1 page`, `2 pages`.
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
