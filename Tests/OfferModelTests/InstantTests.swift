import OfferModel
import Testing

@Suite("Instants")
struct InstantTests {
    @Test(
        "ISO 8601 with Z or an offset is read to the millisecond",
        arguments: [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-12-01T00:00:00Z", 1_796_083_200_000),
            ("2026-12-01T00:00:00z", 1_796_083_200_000),
            ("2026-12-01t00:00:00Z", 1_796_083_200_000),
            ("2026-12-01T02:00:00+02:00", 1_796_083_200_000),
            ("2026-11-30T18:30:00-05:30", 1_796_083_200_000),
            ("1969-12-31T23:59:59.999Z", -1),
            ("2026-12-01T00:00:00.5Z", 1_796_083_200_500),
            ("2026-12-01T00:00:00.05Z", 1_796_083_200_050),
            ("2026-12-01T00:00:00.005Z", 1_796_083_200_005),
            ("2000-02-29T00:00:00Z", 951_782_400_000),
            ("0000-03-01T00:00:00Z", -62_162_035_200_000),
        ] as [(String, Int64)])
    func reads(_ text: String, _ milliseconds: Int64) {
        #expect(Instant(iso8601: text) == Instant(milliseconds: milliseconds))
    }

    @Test(
        "anything that is not a moment is refused",
        arguments: [
            "", "2026-12-01", "2026-12-01T00:00:00", "2026-12-01 00:00:00Z", "2026-12-01T00:00Z",
            "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-12-01T24:00:00Z", "2026-12-01T23:60:00Z",
            "2026-12-31T23:59:60Z", "2026-12-01T00:00:00.Z", "2026-12-01T00:00:00.1234Z", "2026-12-01T00:00:00,5Z",
            "2026-12-01T00:00:00+0200", "2026-12-01T00:00:00+24:00", "2026-12-01T00:00:00+02:60",
            "2026-12-01T00:00:00Z ", " 2026-12-01T00:00:00Z", "2026-12-01T00:00:00ZZ", "+2026-12-01T00:00:00Z",
            "-026-12-01T00:00:00Z", "2026-1-01T00:00:00Z", "２026-12-01T00:00:00Z", "2026-12-01T00:00:00Z\u{301}",
        ])
    func refuses(_ text: String) {
        #expect(Instant(iso8601: text) == nil)
    }

    @Test(
        "a moment is written in UTC, with milliseconds only where there are any",
        arguments: [
            (0, "1970-01-01T00:00:00Z"),
            (1, "1970-01-01T00:00:00.001Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (1_796_083_200_050, "2026-12-01T00:00:00.050Z"),
            (-62_167_219_200_001, "-0001-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "10000-01-01T00:00:00Z"),
            (Int64.max, "9223372036854775807 ms"),
            (Int64.min, "-9223372036854775808 ms"),
        ] as [(Int64, String)])
    func writes(_ milliseconds: Int64, _ text: String) {
        #expect(Instant(milliseconds: milliseconds).description == text)
    }

    @Test(
        "seconds are rounded down, before 1970 too",
        arguments: [
            (0, 0), (999, 0), (1_000, 1), (-1, -1), (-1_000, -1), (-1_001, -2), (1_796_083_200_999, 1_796_083_200),
        ] as [(Int64, Int64)])
    func seconds(_ milliseconds: Int64, _ seconds: Int64) {
        #expect(Instant(milliseconds: milliseconds).seconds == seconds)
    }

    @Test(
        "days between moments are rounded down to whole days of 86,400,000 ms (docs/design.md#decisions)",
        arguments: [
            (0, 0), (86_399_999, 0), (86_400_000, 1), (-1, -1), (-86_400_000, -1), (-86_400_001, -2),
            (180 * 86_400_000 + 86_399_999, 180),
        ] as [(Int64, Int64)])
    func days(_ delta: Int64, _ days: Int64) {
        let earlier = Instant(milliseconds: 1_796_083_200_000)
        #expect(earlier.adding(milliseconds: delta).days(since: earlier) == days)
    }

    @Test("arithmetic stays at the ends of the range instead of overflowing (invariant 10)")
    func saturates() {
        #expect(Instant.distantFuture.adding(milliseconds: 1) == .distantFuture)
        #expect(Instant.distantPast.adding(milliseconds: -1) == .distantPast)
        #expect(Instant.distantFuture.milliseconds(since: .distantPast) == .max)
        #expect(Instant.distantPast.milliseconds(since: .distantFuture) == .min)
        #expect(Instant.distantFuture.days(since: .distantPast) == Int64.max / 86_400_000)
        #expect(Instant.distantFuture.adding(months: 1) == .distantFuture)
        #expect(Instant.distantPast.adding(months: -1) == .distantPast)
        #expect(Instant(milliseconds: 0).adding(months: .max) == .distantFuture)
        #expect(Instant(milliseconds: 0).adding(months: .min) == .distantPast)
        #expect(Instant(milliseconds: 0).adding(months: 12_000_000_000) == .distantFuture)
    }

    @Test(
        "months are calendar months in UTC, the day clamped to the month's end (docs/design.md#decisions)",
        arguments: [
            ("2026-01-31T10:00:00Z", 1, "2026-02-28T10:00:00Z"),
            ("2024-01-31T10:00:00Z", 1, "2024-02-29T10:00:00Z"),
            ("2024-02-29T10:00:00Z", 12, "2025-02-28T10:00:00Z"),
            ("2024-02-29T10:00:00Z", 48, "2028-02-29T10:00:00Z"),
            ("2000-02-29T00:00:00Z", 1200, "2100-02-28T00:00:00Z"),
            ("2026-03-31T23:59:59.999Z", -1, "2026-02-28T23:59:59.999Z"),
            ("2026-01-15T00:00:00Z", -1, "2025-12-15T00:00:00Z"),
            ("2026-12-31T00:00:00Z", 1, "2027-01-31T00:00:00Z"),
            ("2026-12-31T00:00:00Z", 0, "2026-12-31T00:00:00Z"),
            ("1969-12-31T23:59:59.999Z", 2, "1970-02-28T23:59:59.999Z"),
        ])
    func months(_ start: String, _ months: Int, _ end: String) throws {
        let start = try #require(Instant(iso8601: start))
        #expect(start.adding(months: months).description == end)
    }

    @Test("the date of every day that the calendar reaches leads back to the day")
    func everyDay() {
        let reach: Int64 = 100_000_000
        for day in Array(stride(from: -reach, through: reach, by: 9_973)) + Array(-800_000...(-650_000)) + [reach] {
            let instant = Instant(milliseconds: day * Instant.Duration.day)
            #expect(instant.adding(months: 0) == instant, "day \(day)")
        }
    }

    @Test(
        "the parts of a moment are those of its text, beyond the year 9999 too",
        arguments: [
            (1_796_202_000_000, ["2026", "12", "02", "09", "00"]),
            (-1, ["1969", "12", "31", "23", "59"]),
            (253_402_300_799_999, ["9999", "12", "31", "23", "59"]),
            (253_402_300_800_000, ["10000", "01", "01", "00", "00"]),
            (-62_198_755_200_000, ["-0001", "01", "01", "00", "00"]),
        ])
    func parts(_ milliseconds: Int, _ parts: [String]) throws {
        let instant = Instant(milliseconds: Int64(milliseconds))
        let found = try #require(instant.partsToTheMinute)
        #expect(found.map(\.name) == ["year", "month", "day", "hour", "minute"])
        #expect(found.map(\.text) == parts)
        #expect(instant.description.hasPrefix("\(parts[0])-\(parts[1])-\(parts[2])T\(parts[3]):\(parts[4]):"))
    }

    @Test("months and the rest lead from the calendar's first moment to its last, and back")
    func wholeCalendar() {
        let last = Instant(milliseconds: 100_000_001 * Instant.Duration.day - 1)
        let first = Instant(milliseconds: -last.milliseconds)
        for (earlier, later) in [(first, last), (last, first)] {
            let (months, rest) = later.monthsAndRest(since: earlier)
            #expect(months.magnitude > 6_000_000 && (0..<31 * Instant.Duration.day).contains(rest))
            #expect(earlier.adding(months: months).adding(milliseconds: rest) == later)
        }
        let beyond = Instant.distantPast.monthsAndRest(since: .distantFuture)
        #expect(beyond.months == 0 && beyond.rest == .min)
    }

    @Test("a moment outside the calendar has no parts", arguments: [Instant.distantPast, .distantFuture])
    func noParts(_ instant: Instant) { #expect(instant.partsToTheMinute == nil) }

    @Test(
        "whole months between moments are the most that fit",
        arguments: [
            ("2026-01-31T10:00:00Z", "2026-02-28T09:59:59.999Z", 0),
            ("2026-01-31T10:00:00Z", "2026-02-28T10:00:00Z", 1),
            ("2026-01-31T10:00:00Z", "2026-03-30T10:00:00Z", 1),
            ("2026-01-31T10:00:00Z", "2026-03-31T10:00:00Z", 2),
            ("2026-03-31T00:00:00Z", "2026-03-30T23:59:59.999Z", -1),
            ("2026-03-31T00:00:00Z", "2026-02-28T00:00:00Z", -1),
            ("2026-03-31T00:00:00Z", "2026-02-27T00:00:00Z", -2),
            ("2020-06-15T00:00:00Z", "2026-06-15T00:00:00Z", 72),
        ])
    func monthsBetween(_ earlier: String, _ later: String, _ months: Int) throws {
        let earlier = try #require(Instant(iso8601: earlier))
        let later = try #require(Instant(iso8601: later))
        #expect(later.months(since: earlier) == months)
    }
}
