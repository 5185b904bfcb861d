import OfferApplication
import OfferModel
import Testing

@Suite("When a disk will be full")
struct DiskTrendTests {
    private static let start = Instant(milliseconds: 1_780_000_000_000)
    private static let gib: Int64 = 1 << 30

    private static func after(_ minutes: Int64) -> Instant {
        start.adding(milliseconds: minutes * Instant.Duration.minute)
    }

    /// Looks as the server takes them, each with its minute.
    private static func trend(_ looks: [(minute: Int64, free: Int64)]) -> DiskTrend {
        looks.reduce(into: DiskTrend()) { $0.note($1.free, at: after($1.minute)) }
    }

    @Test("at the rate of the last six hours, and not sooner than half an hour of looks")
    func rate() {
        let steady = Self.trend((0...36).map { ($0 * 10, (100 - $0) * Self.gib) })
        #expect(steady.end(of: 64 * Self.gib, at: Self.after(360)) == Self.after(360 + 640))
        let short = Self.trend([(0, 100 * Self.gib), (10, 90 * Self.gib), (20, 80 * Self.gib)])
        #expect(short.end(of: 80 * Self.gib, at: Self.after(20)) == nil)
        #expect(short.end(of: 70 * Self.gib, at: Self.after(30)) == Self.after(30 + 70))
        // What was used before is no part of the rate.
        let calm = Self.trend([(0, 500 * Self.gib)] + (40...76).map { ($0 * 10, 10 * Self.gib) })
        #expect(calm.end(of: 10 * Self.gib, at: Self.after(760)) == nil)
    }

    @Test("none where room grows, where a year passes first, where the clock was set back, and for no looks")
    func none() {
        let looks: [(minute: Int64, free: Int64)] = [(0, 10 * Self.gib), (60, 9 * Self.gib)]
        #expect(Self.trend(looks).end(of: 11 * Self.gib, at: Self.after(60)) == nil)
        #expect(Self.trend([]).end(of: 0, at: Self.start) == nil)
        #expect(Self.trend([(0, 10 * Self.gib)]).end(of: 10 * Self.gib - 1, at: Self.after(60)) == nil)
        #expect(Self.trend(looks + [(-600, 8 * Self.gib)]).end(of: 7 * Self.gib, at: Self.after(-590)) == nil)
        #expect(Self.trend([(0, .max)]).end(of: .max - 1, at: Self.after(60)) == nil)
        #expect(Self.trend([(0, .max)]).end(of: 0, at: Self.after(60)) == Self.after(60))
    }
}
