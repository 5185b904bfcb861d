/// A moment in time: milliseconds since 1970-01-01T00:00:00Z, the unit of every date Apple sends and of our API.
public struct Instant: Hashable, Comparable, Sendable {
    public let milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    public static let distantPast = Instant(milliseconds: .min)
    public static let distantFuture = Instant(milliseconds: .max)

    /// Whole UNIX seconds, rounded down: the unit of a JWS `iat`.
    public var seconds: Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The moment that many milliseconds later; saturates instead of overflowing.
    public func adding(milliseconds delta: Int64) -> Instant {
        Instant(milliseconds: milliseconds.saturatingAdding(delta))
    }

    /// Milliseconds from `earlier` to this moment; saturates instead of overflowing.
    public func milliseconds(since earlier: Instant) -> Int64 {
        milliseconds.saturatingSubtracting(earlier.milliseconds)
    }

    /// Whole days of 86,400,000 ms from `earlier` to this moment, rounded down.
    public func days(since earlier: Instant) -> Int64 {
        let delta = milliseconds(since: earlier)
        let (quotient, remainder) = delta.quotientAndRemainder(dividingBy: Duration.day)
        return remainder < 0 ? quotient - 1 : quotient
    }

    public enum Duration {
        public static let second: Int64 = 1_000
        public static let minute: Int64 = 60 * second
        public static let hour: Int64 = 60 * minute
        public static let day: Int64 = 24 * hour
    }
}

extension Instant: Codable {
    public init(from decoder: any Decoder) throws { self.init(milliseconds: try Int64(from: decoder)) }

    public func encode(to encoder: any Encoder) throws { try milliseconds.encode(to: encoder) }
}

extension Instant {
    /// The same time of day that many calendar months later in UTC, the day clamped to the month's end
    /// (docs/design.md#decisions; Apple does not publish its reading). Saturates beyond any calendar.
    public func adding(months: Int) -> Instant {
        guard !isOutsideCalendar else { return self }
        guard (months / 12).magnitude < 1_000_000 else { return months < 0 ? .distantPast : .distantFuture }
        let (date, timeOfDay) = dateAndTimeOfDay
        let moved = date.adding(months: Int64(months))
        return Instant(milliseconds: moved.daysSinceEpoch * Duration.day + timeOfDay)
    }

    /// Whole calendar months from `earlier` to this moment: the largest `n` with `earlier.adding(months: n) <= self`.
    public func months(since earlier: Instant) -> Int { monthsAndRest(since: earlier).months }

    /// The same, and the milliseconds that remain after them.
    public func monthsAndRest(since earlier: Instant) -> (months: Int, rest: Int64) {
        let difference = milliseconds(since: earlier)
        // No month is shorter than 28 days.
        if (0..<28 * Duration.day).contains(difference) { return (0, difference) }
        guard !isOutsideCalendar, !earlier.isOutsideCalendar else { return (0, difference) }
        let (start, startOfDay) = earlier.dateAndTimeOfDay
        let (end, endOfDay) = dateAndTimeOfDay
        let count = Int((end.year - start.year) * 12 + (end.month - start.month))
        // Adding the months gives the same month as this moment's, with the day clamped to its end.
        let day = min(start.day, CivilDate.daysInMonth(year: end.year, month: end.month))
        if (day, startOfDay) == (end.day, endOfDay) { return (count, 0) }
        let months = (day, startOfDay) > (end.day, endOfDay) ? count - 1 : count
        let whole = start.adding(months: Int64(months)).daysSinceEpoch * Duration.day + startOfDay
        return (months, milliseconds - whole)
    }

    /// The day in UTC that it is in.
    public var utcDay: Range<Instant> {
        let start = adding(milliseconds: -dateAndTimeOfDay.1)
        return start..<start.adding(milliseconds: Duration.day)
    }

    var dateAndTimeOfDay: (CivilDate, Int64) {
        var (days, timeOfDay) = milliseconds.quotientAndRemainder(dividingBy: Duration.day)
        if timeOfDay < 0 {
            days -= 1
            timeOfDay += Duration.day
        }
        return (CivilDate(daysSinceEpoch: days), timeOfDay)
    }

    /// Some hundred thousand years away, where month arithmetic would overflow.
    var isOutsideCalendar: Bool {
        (milliseconds / Duration.day).magnitude > 100_000_000
    }
}

/// A day of the proleptic Gregorian calendar in UTC, for month arithmetic without a calendar library.
struct CivilDate {
    var year: Int64
    var month: Int64
    var day: Int64

    /// The date that many days after 1970-01-01 (Cassio Neri and Lorenz Schneider, "Euclidean affine functions and
    /// their application to calendar algorithms", 2023: divisions become products).
    ///
    /// - Parameter daysSinceEpoch: at most a hundred million, before or after.
    init(daysSinceEpoch: Int64) {
        // Counts from the March before the year 0, and enough eras of 400 years earlier that nothing is negative.
        let shifted = UInt64(daysSinceEpoch + 719_468 + Self.shiftedEras * 146_097)
        let century = (4 * shifted + 3) / 146_097
        let dayOfCentury = (4 * shifted + 3) % 146_097 / 4
        let product = 2_939_745 * (4 * dayOfCentury + 3)
        let yearOfCentury = product >> 32
        let dayOfYear = (product & 0xFFFF_FFFF) / 2_939_745 / 4
        let months = 2_141 * dayOfYear + 197_913
        let isAfterDecember = dayOfYear >= 306
        day = Int64((months & 0xFFFF) / 2_141) + 1
        month = Int64(months >> 16) - (isAfterDecember ? 12 : 0)
        year = Int64(100 * century + yearOfCentury) - Self.shiftedEras * 400 + (isAfterDecember ? 1 : 0)
    }

    private static let shiftedEras: Int64 = 750

    /// A date by its parts; `nil` if the calendar has no such day.
    init?(year: Int64, month: Int64, day: Int64) {
        guard (1...12).contains(month), day >= 1, day <= Self.daysInMonth(year: year, month: month) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    var daysSinceEpoch: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let shiftedMonth = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The same day that many months later, clamped to the end of a shorter month.
    func adding(months: Int64) -> CivilDate {
        var result = self
        let count = year * 12 + (month - 1) + months
        result.year = count >= 0 ? count / 12 : (count - 11) / 12
        result.month = count - result.year * 12 + 1
        result.day = min(day, Self.daysInMonth(year: result.year, month: result.month))
        return result
    }

    static func daysInMonth(year: Int64, month: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: isLeap(year) ? 29 : 28
        default: 31
        }
    }

    private static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }
}
