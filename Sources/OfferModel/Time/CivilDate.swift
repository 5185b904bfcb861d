/// A day of the proleptic Gregorian calendar in UTC, for month arithmetic without a calendar library.
struct CivilDate {
    var year: Int64
    var month: Int64
    var day: Int64

    /// The date so many days after 1970-01-01 (Cassio Neri and Lorenz Schneider, "Euclidean affine functions and their
    /// application to calendar algorithms", 2023: divisions become products).
    ///
    /// - Parameter daysSinceEpoch: at most a hundred million, before or after.
    init(daysSinceEpoch: Int64) {
        // From the March before the year 0, and so many eras of 400 years earlier that nothing is negative.
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

    /// The same day so many months later, clamped to the end of a shorter month.
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
