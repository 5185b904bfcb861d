import Foundation
import OfferModel
import Testing

@Suite("The days, weeks and months of a time zone")
struct LocalCalendarTests {
    /// Clocks that change at midnight, by half an hour or not at all, offsets of quarters of an hour, and a day that was
    /// left out (Pacific/Apia, 2011-12-30).
    private static let zones = [
        "UTC", "Europe/Berlin", "America/New_York", "Africa/Cairo", "Asia/Beirut", "America/Asuncion",
        "America/Santiago", "America/Havana", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Kolkata",
        "Asia/Kathmandu", "Pacific/Apia", "Pacific/Kiritimati", "Atlantic/Azores", "Africa/Casablanca",
    ]

    static func calendar(_ zone: TimeZone) -> LocalCalendar {
        LocalCalendar { instant in
            Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000))) * 1_000
        }
    }

    @Test("they begin and are named as Foundation's calendar says, in every year", arguments: zones)
    func asFoundation(_ name: String) throws {
        let zone = try #require(TimeZone(identifier: name))
        var judge = Calendar(identifier: .gregorian)
        (judge.timeZone, judge.firstWeekday, judge.minimumDaysInFirstWeek) = (zone, 2, 4)
        for year in [1995, 2011, 2018, 2023, 2026, 2027, 2028] {
            let from = Instant(
                milliseconds: Int64(
                    try #require(judge.date(from: DateComponents(year: year, month: 1, day: 3, hour: 5)))
                        .timeIntervalSince1970 * 1_000))
            let range = from..<from.adding(milliseconds: 366 * Instant.Duration.day)
            for (unit, component) in [
                (CalendarUnit.day, Calendar.Component.day), (.week, .weekOfYear), (.month, .month),
            ] {
                let buckets = Self.calendar(zone).buckets(of: unit, covering: range)
                var expected: [String] = []
                var date = Date(timeIntervalSince1970: Double(from.milliseconds) / 1_000)
                while date.timeIntervalSince1970 * 1_000 < Double(range.upperBound.milliseconds) {
                    let interval = try #require(judge.dateInterval(of: component, for: date))
                    let parts = judge.dateComponents([.year, .month, .day], from: interval.start)
                    let day = String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
                    expected.append("\(Int64(interval.start.timeIntervalSince1970 * 1_000)) \(day)")
                    date = interval.end
                }
                #expect(
                    buckets.map { "\($0.range.lowerBound.milliseconds) \($0.date)" } == expected, "\(year) \(unit)")
                #expect(zip(buckets, buckets.dropFirst()).allSatisfy { $0.range.upperBound == $1.range.lowerBound })
                let midnights = buckets.compactMap { Instant(iso8601: "\($0.date)T00:00:00Z") }
                #expect(midnights.map(Self.calendar(zone).start(ofDay:)) == buckets.map(\.range.lowerBound))
            }
        }
    }

    @Test(
        "days have 23 or 25 hours where clocks change, and one without a midnight begins when the clocks have changed")
    func lengths() throws {
        func hours(_ name: String, _ from: String, _ to: String) throws -> [String: Int64] {
            let zone = try #require(TimeZone(identifier: name))
            let range = try #require(Instant(iso8601: from))..<(try #require(Instant(iso8601: to)))
            let days = Self.calendar(zone).buckets(of: .day, covering: range)
            return Dictionary(
                days.map { ($0.date, $0.range.upperBound.milliseconds(since: $0.range.lowerBound) / 3_600_000) },
                uniquingKeysWith: { first, _ in first })
        }
        let berlin = try hours("Europe/Berlin", "2026-03-27T12:00:00Z", "2026-03-31T12:00:00Z")
        #expect(
            berlin == ["2026-03-27": 24, "2026-03-28": 24, "2026-03-29": 23, "2026-03-30": 24, "2026-03-31": 24])
        #expect(try hours("Europe/Berlin", "2026-10-25T12:00:00Z", "2026-10-25T12:00:01Z") == ["2026-10-25": 25])
        #expect(try hours("Africa/Cairo", "2026-04-24T12:00:00Z", "2026-04-24T12:00:01Z") == ["2026-04-24": 23])
        let cairo = try #require(TimeZone(identifier: "Africa/Cairo"))
        let noon = try #require(Instant(iso8601: "2026-04-24T12:00:00Z"))
        let day = try #require(
            Self.calendar(cairo).buckets(of: .day, covering: noon..<noon.adding(milliseconds: 1)).first)
        #expect(day.range.lowerBound == Instant(iso8601: "2026-04-23T22:00:00Z"), "01:00, because 00:00 was left out")
    }

    @Test("a day that a zone left out is no bucket, and every moment is in one, also where midnight comes twice")
    func odd() throws {
        let apia = try #require(TimeZone(identifier: "Pacific/Apia"))
        let around = try #require(Instant(iso8601: "2011-12-28T12:00:00Z"))
        let days = Self.calendar(apia).buckets(
            of: .day, covering: around..<around.adding(milliseconds: 4 * Instant.Duration.day))
        #expect(days.map(\.date).contains("2011-12-31") && !days.map(\.date).contains("2011-12-30"))
        // Clocks went back from 00:01 to 23:01.
        let newfoundland = try #require(TimeZone(identifier: "America/St_Johns"))
        let midnight = try #require(Instant(iso8601: "2008-11-02T02:30:00Z"))
        for minutes in -120 as Int64..<120 {
            let moment = midnight.adding(milliseconds: minutes * Instant.Duration.minute)
            let found = Self.calendar(newfoundland).buckets(
                of: .day, covering: moment..<moment.adding(milliseconds: 1))
            #expect(found.count == 1 && found.first?.range.contains(moment) == true, "\(moment)")
        }
    }
}
