import Charts
import OfferTestSupport
import Testing

@Suite("Charts of random numbers")
struct ChartPropertyTests {
    @Test("a waterfall says every count, and its bars are as long as they are large", arguments: 1...150)
    func waterfall(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let steps = (0..<Int.random(in: 1...9, using: &random)).map { index in
            let name = String(repeating: "wide Name ", count: .random(in: 0...20, using: &random))
            return ("step \(index) \(name)", count(&random))
        }
        let drawn = drawn(.waterfall("Title", unit: "customers", steps: steps.map { ($0, ChartNumber($1)) }), &random)
        for step in steps { #expect(drawn.words[0].contains("\(step.0): \(ChartNumber(step.1).text)"), "seed \(seed)") }
        expectProportional(drawn.bars(0).map { $0.number("width") }, steps.map { Double($0.1) }, seed)
        for (bar, step) in zip(drawn.bars(0), steps) {
            #expect(try #require(bar.title).hasPrefix("\(step.0): \(ChartNumber(step.1).text)"), "seed \(seed)")
        }
    }

    @Test("a series says every number of every bucket, and its bars are as high as they are large", arguments: 1...150)
    func series(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count =
            Bool.random(using: &random) ? Int.random(in: 1...12, using: &random) : .random(in: 1...400, using: &random)
        let measures = (0..<Int.random(in: 1...7, using: &random)).map { index in
            let values = (0..<count).map { _ in
                Int.random(in: 0..<10, using: &random) == 0 ? nil : self.count(&random)
            }
            return (name: "measure \(index)", values: values)
        }
        let labels = (0..<count).map { "bucket \($0)" }
        let drawn = drawn(
            .series(
                "Title", unit: "number", bucket: "day", labels: labels,
                measures: measures.map { ($0.name, $0.values.map { $0.map { ChartNumber($0) } }) },
                bars: .random(using: &random)), &random)
        guard measures.contains(where: { $0.values.contains { $0 != nil } }) else {
            #expect(drawn.words == ["no data"])
            return
        }
        let buckets = drawn.words[0].split(separator: "; ")
        #expect(buckets.count == count, "seed \(seed)")
        for (index, bucket) in buckets.enumerated() {
            let numbers = measures.map { "\($0.name) \($0.values[index].map { ChartNumber($0).text } ?? "not known")" }
            #expect(bucket == "bucket \(index): \(numbers.joined(separator: ", "))", "seed \(seed)")
        }
        guard !drawn.all("pattern").isEmpty || !drawn.bars(0).isEmpty else { return }
        let known = measures.flatMap { $0.values.compactMap { $0.map(Double.init) } }
        let heights = measures.indices.flatMap { drawn.bars($0).map { $0.number("height") } }
        expectProportional(heights, known, seed)
    }

    @Test("budgets say what is used of what, and their bars are shares of the limit", arguments: 1...100)
    func budgets(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let rows = (0..<Int.random(in: 1...12, using: &random)).map { index in
            let allowed = Int.random(in: 1...1_000_000_000, using: &random)
            return (label: "offer \(index)", used: Int.random(in: 0...(2 * allowed), using: &random), allowed: allowed)
        }
        let drawn = drawn(
            .budgets("Title", rows: rows.map { ($0.label, ChartNumber($0.used), ChartNumber($0.allowed), "uses") }),
            &random)
        for row in rows {
            let words = "\(row.label): \(ChartNumber(row.used).text) of \(ChartNumber(row.allowed).text) uses"
            #expect(drawn.words[0].contains(words), "seed \(seed)")
        }
        let shares = rows.map { Double($0.used) / Double($0.allowed) }
        expectProportional(drawn.bars(0).map { $0.number("width") }, shares, seed)
    }

    private func count(_ random: inout SeededGenerator) -> Int {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: 0
        case 1: .random(in: 0...9, using: &random)
        case 2: .random(in: 0...1_000_000, using: &random)
        case 3: .random(in: -100_000...100_000, using: &random)
        case 4: [Int.max, .min, .max - 1, 1, -1].randomElement(using: &random) ?? 0
        default: .random(in: 0...999_999_999_999, using: &random)
        }
    }

    private func drawn(_ chart: Chart, _ random: inout SeededGenerator) -> DrawnChart {
        let drawn = DrawnChart(Chart.svg([chart], id: "a", width: .random(in: 320...1_200, using: &random)))
        #expect(drawn.isWellFormed, "seed \(random.seed)")
        #expect(drawn.overlaps == [], "seed \(random.seed)")
        #expect(drawn.outside == [], "seed \(random.seed)")
        return drawn
    }

    /// Within a pixel, whatever the scale is.
    private func expectProportional(_ lengths: [Double], _ values: [Double], _ seed: UInt64) {
        #expect(lengths.count == values.count, "seed \(seed)")
        guard let most = values.map(\.magnitude).max(), most > 0, let longest = lengths.max() else { return }
        #expect(longest > 20, "seed \(seed)")
        for (length, value) in zip(lengths, values) {
            #expect((length - value.magnitude / most * longest).magnitude <= 1, "seed \(seed)")
        }
    }
}
