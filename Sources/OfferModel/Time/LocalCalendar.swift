/// How much time one bucket of a series covers.
public enum CalendarUnit: String, Sendable, Hashable, CaseIterable {
    case day
    /// From Monday.
    case week
    case month
}

/// A day, week or month of a calendar: from its first moment to the next one's.
public struct CalendarBucket: Sendable, Hashable {
    public var range: Range<Instant>
    /// Its first day, such as `2026-11-01`.
    public var date: String
}

/// The days of a time zone, which have 23 or 25 hours where its clocks change.
public struct LocalCalendar: Sendable {
    /// The milliseconds by which local time is ahead of UTC at an instant.
    private let offset: @Sendable (Instant) -> Int64

    public init(offset: @escaping @Sendable (Instant) -> Int64) {
        self.offset = offset
    }

    public static let utc = LocalCalendar { _ in 0 }

    /// The buckets that cover a range, each once and in order. The first may begin before the range, and the last may
    /// end after it.
    ///
    /// - Parameter range: within ``InputBounds/instants``.
    public func buckets(of unit: CalendarUnit, covering range: Range<Instant>) -> [CalendarBucket] {
        var buckets: [CalendarBucket] = []
        // One earlier: clocks that go back over midnight give a day two beginnings.
        var date = unit.first(of: localDate(at: range.lowerBound)).next(unit, -1)
        var start = start(of: date)
        while start < range.upperBound {
            let next = date.next(unit, 1)
            let end = self.start(of: next)
            // A zone that moved across the date line has left out a day.
            if start < end, range.lowerBound < end {
                buckets.append(CalendarBucket(range: start..<end, date: date.text))
            }
            (date, start) = (next, end)
        }
        return buckets
    }

    private func localDate(at instant: Instant) -> CivilDate {
        instant.adding(milliseconds: offset(instant)).dateAndTimeOfDay.0
    }

    /// Longer than any zone is away from UTC: no place is more than 14 hours, `GMT+18` is 18.
    private static let furthest = 24 * Instant.Duration.hour

    private func start(of date: CivilDate) -> Instant {
        start(ofDay: Instant(milliseconds: date.daysSinceEpoch * Instant.Duration.day))
    }

    /// The first moment of a day: midnight, or the end of the hour that clocks leave out there.
    ///
    /// - Parameter midnight: 00:00 UTC on that day, within ``InputBounds/instants``.
    public func start(ofDay midnight: Instant) -> Instant {
        var (low, high) = (-Self.furthest, Self.furthest)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            let instant = midnight.adding(milliseconds: middle)
            if instant.adding(milliseconds: offset(instant)) < midnight { low = middle } else { high = middle }
        }
        return midnight.adding(milliseconds: high)
    }
}

extension CalendarUnit {
    /// The first day of the one that has a date.
    fileprivate func first(of date: CivilDate) -> CivilDate {
        switch self {
        case .day: date
        case .week:
            // 1970-01-01 was a Thursday; no date here is before it by more than a day.
            CivilDate(daysSinceEpoch: date.daysSinceEpoch - (date.daysSinceEpoch + 10) % 7)
        case .month: CivilDate(daysSinceEpoch: date.daysSinceEpoch - date.day + 1)
        }
    }
}

extension CivilDate {
    fileprivate func next(_ unit: CalendarUnit, _ count: Int64) -> CivilDate {
        switch unit {
        case .day: CivilDate(daysSinceEpoch: daysSinceEpoch + count)
        case .week: CivilDate(daysSinceEpoch: daysSinceEpoch + 7 * count)
        case .month: adding(months: count)
        }
    }

    fileprivate var text: String {
        func padded(_ number: Int64, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }
}
