import Foundation
import OfferModel
import Testing

@Suite("Periods")
struct PeriodTests {
    @Test(
        "an ISO 8601 duration is read by its units",
        arguments: [
            ("P1M", Period(months: 1)), ("P1Y", Period(months: 12)), ("P1Y2M", Period(months: 14)),
            ("P2W", Period(days: 14)), ("P90D", Period(days: 90)), ("P1W3D", Period(days: 10)),
            ("PT48H", Period(timeMilliseconds: 172_800_000)), ("PT30M", Period(timeMilliseconds: 1_800_000)),
            ("PT5S", Period(timeMilliseconds: 5_000)),
            ("P1Y1M1W1DT1H1M1S", Period(months: 13, days: 8, timeMilliseconds: 3_661_000)),
            ("P100Y", Period(months: 1_200)), ("P36525D", Period(days: 36_525)), ("P0Y1M", Period(months: 1)),
        ])
    func reads(_ text: String, _ period: Period) {
        #expect(Period(text) == period)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "P", "PT", "P1", "1M", "P1H", "PT1D", "P1DT", "P1M1Y", "P1D1W", "PT1S1M", "PT1M1H", "PT1HT1M", "P1M1M",
            "P-1M", "P+1M", "P1.5M", "PT1.5H", "p1m", "P1m", "P0M", "PT0S", "P0Y0M0W0DT0H0M0S", "P1000000000D", "P101Y",
            "P1201M", "P100Y1M", "P36526D", "P5218W", "PT876601H", "PT3155760001S", "P1000000Y",
            "P999999999Y999999999M", "P999999999W", "PT999999999H999999999M999999999S",
            "P1M ", " P1M", "P１M", "P1MT",
        ])
    func refuses(_ text: String) {
        #expect(Period(text) == nil)
    }

    @Test(
        "words that mean a period are read as one, for a hint",
        arguments: [
            ("1 year", "P1Y"), ("1 Year", "P1Y"), ("2 weeks", "P2W"), ("14days", "P2W"), ("30 d", "P30D"),
            ("1-month", "P1M"), ("12 months", "P1Y"), ("1y", "P1Y"), ("1 yearly", nil), ("year", nil), ("1", nil),
            ("", nil), ("0 days", nil), ("-1 year", nil), ("1.5 years", nil), ("１ year", nil), ("1 minute", nil),
            ("101 years", nil), ("99999999999999999999 days", nil), ("1 s", nil),
        ])
    func words(_ text: String, _ period: String?) {
        #expect(Period(words: text)?.description == period)
    }

    @Test(
        "the canonical form is written",
        arguments: [
            ("P12M", "P1Y"), ("P13M", "P1Y1M"), ("P14D", "P2W"), ("P10D", "P10D"), ("P1W3D", "P10D"),
            ("PT48H", "PT48H"), ("PT90M", "PT1H30M"), ("PT61S", "PT1M1S"), ("PT3600S", "PT1H"),
            ("P1Y1M1W1DT1H1M1S", "P1Y1M8DT1H1M1S"),
        ])
    func writes(_ text: String, _ canonical: String) throws {
        let period = try #require(Period(text))
        #expect(period.description == canonical)
        #expect(Period(canonical) == period)
    }

    @Test("a length with months has no fixed number of milliseconds, any other has")
    func fixedLength() {
        #expect(Period("P1M")?.fixedMilliseconds == .none)
        #expect(Period("P2W")?.fixedMilliseconds == 1_209_600_000)
        #expect(Period("P1DT1H")?.fixedMilliseconds == 90_000_000)
    }

    @Test("a period taken several times keeps its units")
    func multiplied() {
        #expect(Period(months: 1).multiplied(by: 3) == Period(months: 3))
        #expect(Period("P1W")?.multiplied(by: 2).description == "P2W")
        #expect(Period("PT12H")?.multiplied(by: 2) == Period("PT24H"))
    }

    @Test(
        "adding a period moves months by the calendar and the rest by its milliseconds",
        arguments: [
            ("P1M", "2026-02-28T10:00:00Z"), ("P1M1D", "2026-03-01T10:00:00Z"), ("PT48H", "2026-02-02T10:00:00Z"),
            ("P1W", "2026-02-07T10:00:00Z"), ("P1Y", "2027-01-31T10:00:00Z"),
        ])
    func adding(_ period: String, _ end: String) throws {
        let start = try #require(Instant(iso8601: "2026-01-31T10:00:00Z"))
        #expect(start.adding(try #require(Period(period))).description == end)
    }

    @Test("the longest periods stay at the end of the range instead of overflowing (invariant 10)")
    func saturates() throws {
        let now = Instant(milliseconds: 1_796_083_200_000)
        #expect(now.adding(Period(months: .max)) == .distantFuture)
        #expect(now.adding(Period(months: .min, days: .min, timeMilliseconds: .min)) == .distantPast)
        #expect(now.adding(Period(days: .max)) == .distantFuture)
        #expect(now.adding(Period(days: .max, timeMilliseconds: .max)) == .distantFuture)
        #expect(Period(months: 12).multiplied(by: .max).months == .max)
        #expect(Period(days: 7).multiplied(by: .max).fixedMilliseconds == .max)
        #expect(now.adding(Period(months: 1, timeMilliseconds: 1).multiplied(by: .max)) == .distantFuture)
    }
}
