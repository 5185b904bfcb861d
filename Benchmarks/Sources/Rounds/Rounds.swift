/// How long the rounds of one measurement took.
public struct Rounds: Sendable {
    private var times: [Duration] = []
    private let clock = ContinuousClock()

    /// No round yet.
    public init() {}

    /// Measures one round more.
    public mutating func measure(_ round: () throws -> Void) rethrows {
        times.append(try clock.measure(round))
    }

    /// Adds a round that was measured elsewhere.
    public mutating func add(_ time: Duration) {
        times.append(time)
    }

    /// `median 12.3 µs, fastest 11.9 µs`; of a part where a round does the same thing several times.
    public func text(each count: Int = 1) -> String {
        let sorted = times.sorted()
        guard let fastest = sorted.first else { return "no rounds" }
        return "median \(microseconds(sorted[sorted.count / 2], count)) µs, fastest \(microseconds(fastest, count)) µs"
    }

    private func microseconds(_ duration: Duration, _ count: Int) -> String {
        let (seconds, attoseconds) = duration.components
        let hundredths = (seconds * 100_000_000 + attoseconds / 10_000_000_000) / Int64(count)
        let digits = String(hundredths % 100)
        return "\(hundredths / 100).\(digits.count == 1 ? "0" : "")\(digits)"
    }
}
