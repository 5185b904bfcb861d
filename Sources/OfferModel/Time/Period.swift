/// A length of time in ISO 8601 form, such as `P1M`, `P2W`, `P90D` or `PT48H`.
///
/// Years and months are calendar lengths and have no fixed number of milliseconds; the rest has.
public struct Period: Hashable, Sendable {
    /// Calendar months, years counted as twelve.
    public let months: Int
    /// Days, weeks counted as seven.
    public let days: Int
    /// Hours, minutes and seconds, in milliseconds.
    public let timeMilliseconds: Int64

    /// A length by its parts; at least one should be positive, and none negative.
    public init(months: Int = 0, days: Int = 0, timeMilliseconds: Int64 = 0) {
        self.months = months
        self.days = days
        self.timeMilliseconds = timeMilliseconds
    }

    /// Reads an ISO 8601 duration of whole, positive units; `nil` for anything else, an empty or zero duration and one
    /// beyond ``InputBounds/longestPeriod`` included.
    public init?(_ text: some StringProtocol) {
        var scanner = DigitScanner(text)
        guard scanner.skip("P") else { return nil }
        var months: Int64 = 0
        var days: Int64 = 0
        var time: Int64 = 0
        var lastUnit = 0
        while !scanner.isAtEnd {
            if lastUnit < 5, scanner.skip("T") {
                guard !scanner.isAtEnd else { return nil }
                lastUnit = 5
                continue
            }
            guard let amount = scanner.number() else { return nil }
            let unit: Int
            switch lastUnit {
            case ..<1 where scanner.skip("Y"): (unit, months) = (1, months + amount * 12)
            case ..<2 where scanner.skip("M"): (unit, months) = (2, months + amount)
            case ..<3 where scanner.skip("W"): (unit, days) = (3, days + amount * 7)
            case ..<4 where scanner.skip("D"): (unit, days) = (4, days + amount)
            case 5 where scanner.skip("H"): (unit, time) = (6, time + amount * Instant.Duration.hour)
            case 5...6 where scanner.skip("M"): (unit, time) = (7, time + amount * Instant.Duration.minute)
            case 5...7 where scanner.skip("S"): (unit, time) = (8, time + amount * Instant.Duration.second)
            default: return nil
            }
            lastUnit = unit
        }
        guard months > 0 || days > 0 || time > 0, months <= Self.mostMonths, days <= Self.mostDays,
            time <= Self.mostDays * Instant.Duration.day
        else { return nil }
        self.init(months: Int(months), days: Int(days), timeMilliseconds: time)
    }

    /// The period that words such as `1 year`, `14days` or `2 Weeks` mean; `nil` for anything else.
    package init?(words text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        var word = text.dropFirst(digits.count).filter { $0 != " " && $0 != "-" }.lowercased()
        if word.count > 1, word.hasSuffix("s") { word.removeLast() }
        guard !digits.isEmpty, let letter = ["y", "m", "w", "d"].first(where: word.hasPrefix),
            [letter, "year", "month", "week", "day"].contains(word)
        else { return nil }
        self.init("P\(digits)\(letter.uppercased())")
    }

    /// The length in milliseconds; `nil` if it holds months or years.
    ///
    /// Stays at the end of the range instead of overflowing.
    public var fixedMilliseconds: Int64? {
        months == 0 ? daysAndTimeMilliseconds : nil
    }

    /// The length taken several times: three times `P1M` is `P3M`.
    ///
    /// Stays at the end of the range instead of overflowing.
    ///
    /// - Parameter count: how often, not negative.
    public func multiplied(by count: Int) -> Period {
        Period(
            months: months.saturatingMultiplied(by: count), days: days.saturatingMultiplied(by: count),
            timeMilliseconds: timeMilliseconds.saturatingMultiplied(by: Int64(count)))
    }

    fileprivate var daysAndTimeMilliseconds: Int64 {
        Int64(days).saturatingMultiplied(by: Instant.Duration.day).saturatingAdding(timeMilliseconds)
    }

    private static let mostMonths = Int64(InputBounds.longestPeriod * 12)
    private static let mostDays = Int64(InputBounds.longestPeriod * 36_525 / 100)
}

extension Period: CustomStringConvertible {
    /// The canonical ISO 8601 form: `P1Y` and `P12M` are both written `P1Y`, `P14D` is written `P2W`.
    public var description: String {
        var text = "P"
        if months / 12 > 0 { text += "\(months / 12)Y" }
        if months % 12 > 0 { text += "\(months % 12)M" }
        if days > 0 {
            text += days % 7 == 0 ? "\(days / 7)W" : "\(days)D"
        }
        let seconds = timeMilliseconds / Instant.Duration.second
        if seconds > 0 {
            text += "T"
            if seconds / 3_600 > 0 { text += "\(seconds / 3_600)H" }
            if seconds / 60 % 60 > 0 { text += "\(seconds / 60 % 60)M" }
            if seconds % 60 > 0 { text += "\(seconds % 60)S" }
        }
        return text
    }
}

extension Instant {
    /// The moment one period later: months by the calendar in UTC, everything else by its milliseconds.
    public func adding(_ period: Period) -> Instant {
        let moved = period.months == 0 ? self : adding(months: period.months)
        return moved.adding(milliseconds: period.daysAndTimeMilliseconds)
    }
}
