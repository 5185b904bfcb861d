/// Numbers as a line of a terminal: `▁▂▃▄▅▆▇█`.
package enum Sparkline {
    private static let blocks = "▁▂▃▄▅▆▇█".map(String.init)

    /// A block per number, the lowest for zero, or for the lowest if numbers are negative; a blank for one that is not
    /// known.
    package static func text(_ numbers: [ChartNumber?]) -> String {
        let values = numbers.compactMap { $0?.value }
        let low = min(0, values.min() ?? 0)
        let range = max(0, values.max() ?? 0) - low
        return numbers.map { number in
            guard let value = number?.value else { return " " }
            return blocks[range > 0 ? Int(exactly: ((value - low) / range * 7).rounded()) ?? 0 : 0]
        }.joined()
    }
}
