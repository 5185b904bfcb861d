import Foundation

/// An answer of `/metrics`, read by code independent of its writer.
struct Scrape: Sendable {
    let text: String
    /// By name and labels, as they are written.
    private(set) var values: [String: Double] = [:]
    /// `counter` and so on, by name.
    private(set) var types: [String: String] = [:]
    /// Violations of the format.
    private(set) var faults: [String] = []

    init(_ text: String) {
        self.text = text
        var family = ""
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            if line.hasPrefix("# HELP ") {
                if words.count < 4 { faults.append("no help: \(line)") }
                continue
            }
            if line.hasPrefix("# TYPE ") {
                family = words[2]
                if types.updateValue(words[3], forKey: family) != nil { faults.append("twice: \(line)") }
                continue
            }
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                faults.append("no value: \(line)")
                continue
            }
            let name = String(line[..<space])
            if values.updateValue(value, forKey: name) != nil { faults.append("twice: \(line)") }
            let base = String(name.prefix { $0 != "{" })
            let suffixes = types[family] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
            if !suffixes.contains(where: { base == family + $0 }) { faults.append("in no family: \(line)") }
        }
        checkHistograms()
    }

    subscript(series: String) -> Double? { values[series] }

    /// Every name that a query may use.
    var names: Set<String> { Set(values.keys.map { String($0.prefix { $0 != "{" }) }) }

    /// The buckets of each histogram are cumulative, and the last is its count.
    private mutating func checkHistograms() {
        let bucket = /^(\w+)_bucket\{(.*?),?le="([^"]+)"\}$/
        var histograms: [String: [(bound: Double, count: Double)]] = [:]
        for (series, count) in values {
            guard let match = series.wholeMatch(of: bucket) else { continue }
            let labels = match.output.2.isEmpty ? "" : "{\(match.output.2)}"
            let bound = match.output.3 == "+Inf" ? .infinity : Double(match.output.3) ?? .nan
            histograms["\(match.output.1)_count\(labels)", default: []].append((bound, count))
        }
        for (name, buckets) in histograms {
            let counts = buckets.sorted { $0.bound < $1.bound }.map(\.count)
            if counts != counts.sorted() || counts.last != values[name] { faults.append("not cumulative: \(name)") }
        }
    }
}
