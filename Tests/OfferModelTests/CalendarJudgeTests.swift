import OfferModel
import OfferTestSupport
import Testing

/// Calendar arithmetic against an independent judge: Python's `datetime` and `calendar`, one process for all cases.
@Suite("The calendar, judged by Python")
struct CalendarJudgeTests {
    private static let seed: UInt64 = 20_261_121
    private static let judge = """
        import calendar, sys
        from datetime import datetime, timedelta, timezone

        epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
        step = timedelta(milliseconds=1)

        def moved(moment, months):
            index = moment.year * 12 + moment.month - 1 + months
            year, month = index // 12, index % 12 + 1
            return moment.replace(year=year, month=month, day=min(moment.day, calendar.monthrange(year, month)[1]))

        def months_between(start, end):
            count = (end.year - start.year) * 12 + end.month - start.month + 2
            while moved(start, count) > end:
                count -= 1
            return count

        def text(moment):
            precision = "milliseconds" if moment.microsecond else "seconds"
            return moment.isoformat(timespec=precision)

        for line in sys.stdin:
            start, months, end, offset = map(int, line.split())
            start, end = epoch + start * step, epoch + end * step
            local = start.astimezone(timezone(timedelta(minutes=offset)))
            print(text(start).replace("+00:00", "Z"), text(local), (moved(start, months) - epoch) // step,
                  months_between(start, end))
        """

    private struct Case {
        var start: Int64
        var months: Int
        var end: Int64
        var offsetMinutes: Int
    }

    /// Years 1100 to 7900, so that a hundred years more or less stays inside what Python can express.
    private static func cases() -> [Case] {
        var generator = SeededGenerator(seed: seed)
        let range: ClosedRange<Int64> = -27_454_000_000_000...187_100_000_000_000
        return (0..<4_000).map { index in
            var start = Int64.random(in: range, using: &generator)
            if index % 2 == 0 { start -= start % Instant.Duration.day }
            let near = Int64.random(in: -200...200, using: &generator) * Instant.Duration.day
            return Case(
                start: start, months: Int.random(in: -1_200...1_200, using: &generator),
                end: index % 3 == 0 ? Int64.random(in: range, using: &generator) : start + near,
                offsetMinutes: Int.random(in: -1_439...1_439, using: &generator))
        }
    }

    @Test("text, offsets, added months and months between agree with Python for 4,000 moments")
    func agrees() throws {
        let cases = Self.cases()
        let input = cases.map { "\($0.start) \($0.months) \($0.end) \($0.offsetMinutes)\n" }.joined()
        let run = try Command.run("python3", ["-c", Self.judge], input: Array(input.utf8))
        try #require(run.status == 0, "\(run.errorText)")
        let lines = run.text.split(separator: "\n")
        try #require(lines.count == cases.count)
        for (sample, line) in zip(cases, lines) {
            let parts = line.split(separator: " ")
            try #require(parts.count == 4)
            let start = Instant(milliseconds: sample.start)
            let note: Comment = "seed \(Self.seed): \(sample)"
            #expect(start.description == String(parts[0]), note)
            #expect(Instant(iso8601: parts[0]) == start, note)
            #expect(Instant(iso8601: parts[1]) == start, note)
            #expect(start.adding(months: sample.months).milliseconds == Int64(parts[2]), note)
            let end = Instant(milliseconds: sample.end)
            let (months, rest) = end.monthsAndRest(since: start)
            #expect(months == Int(parts[3]), note)
            #expect(rest >= 0 && start.adding(months: months).adding(milliseconds: rest) == end, note)
        }
    }
}
