import OfferApplication
import OfferModel
import Testing

@testable import OfferdCommands

@Suite("The time zones of a server")
struct SystemTimeZonesTests {
    @Test(
        "a name of the IANA database is known, also an older one; what is none is not",
        arguments: [
            ("UTC", true), ("Europe/Berlin", true), ("Asia/Calcutta", true), ("Asia/Kolkata", true),
            ("Etc/GMT+3", true),
            ("", false), ("berlin", false), ("europe/berlin", false), ("Mars/Olympus", false),
            ("../zoneinfo/UTC", false),
            ("Europe/Berlin\u{0}x", false), (" UTC", false), ("+02:00", false), ("Z", false), ("時間", false),
            (String(repeating: "A", count: 100_000), false),
        ])
    func names(_ name: String, _ isKnown: Bool) {
        #expect((TimeZones.ofFoundation.calendar(name) != nil) == isKnown)
    }

    @Test("days begin at midnight however far a zone is from UTC", arguments: [("GMT+18", 6), ("GMT-18", 18)])
    func far(_ name: String, _ hour: Int64) throws {
        guard let calendar = TimeZones.ofFoundation.calendar(name) else { return }
        let noon = try #require(Instant(iso8601: "2026-10-25T12:00:00Z"))
        let days = calendar.buckets(of: .day, covering: noon..<noon.adding(milliseconds: 1))
        #expect(days.map { $0.range.lowerBound.milliseconds / 3_600_000 % 24 } == [hour])
        #expect(days.allSatisfy { $0.range.lowerBound.milliseconds % 3_600_000 == 0 })
    }

    @Test("days begin at its midnight, in summer and in winter")
    func days() throws {
        let berlin = try #require(TimeZones.ofFoundation.calendar("Europe/Berlin"))
        let (from, to) = (Instant(iso8601: "2026-10-25T00:00:00Z"), Instant(iso8601: "2026-10-26T12:00:00Z"))
        let days = berlin.buckets(of: .day, covering: try #require(from)..<(try #require(to)))
        #expect(
            days.map(\.range.lowerBound.description)
                == [from?.adding(milliseconds: -7_200_000), from?.adding(milliseconds: 82_800_000)].map {
                    $0?.description ?? ""
                })
    }
}
