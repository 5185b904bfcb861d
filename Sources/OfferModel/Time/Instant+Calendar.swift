extension Instant {
    /// The same time of day so many calendar months later in UTC, the day clamped to the month's end.
    ///
    /// The reading of "months" that this project chose, because Apple does not publish its own (docs/design.md#decisions).
    /// A moment no calendar reaches becomes the end of the range.
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
        guard !isOutsideCalendar, !earlier.isOutsideCalendar else { return (0, milliseconds(since: earlier)) }
        let (start, startOfDay) = earlier.dateAndTimeOfDay
        let (end, endOfDay) = dateAndTimeOfDay
        let count = Int((end.year - start.year) * 12 + (end.month - start.month))
        // So many months later it is the same month as this moment's, the day clamped to its end.
        let day = min(start.day, CivilDate.daysInMonth(year: end.year, month: end.month))
        if (day, startOfDay) == (end.day, endOfDay) { return (count, 0) }
        let months = (day, startOfDay) > (end.day, endOfDay) ? count - 1 : count
        return (months, milliseconds(since: earlier.adding(months: months)))
    }

    var dateAndTimeOfDay: (CivilDate, Int64) {
        var (days, timeOfDay) = milliseconds.quotientAndRemainder(dividingBy: Duration.day)
        if timeOfDay < 0 {
            days -= 1
            timeOfDay += Duration.day
        }
        return (CivilDate(daysSinceEpoch: days), timeOfDay)
    }

    /// Beyond some hundred thousand years month arithmetic would overflow and nobody needs it.
    var isOutsideCalendar: Bool {
        (milliseconds / Duration.day).magnitude > 100_000_000
    }
}
