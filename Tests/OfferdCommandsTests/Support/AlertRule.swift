import Foundation

/// An alert of Examples/monitoring/alerts.yaml, read by code independent of Prometheus.
struct AlertRule: Sendable {
    struct Unreadable: Error {
        var text: String
    }

    let name: String
    let expression: String
    let runbook: String

    static func all() throws -> [AlertRule] {
        let file = root.appending(path: "Examples/monitoring/alerts.yaml")
        let blocks = try String(contentsOf: file, encoding: .utf8).split(separator: "- alert: ").dropFirst()
        return try blocks.map { block in
            guard let expression = block.firstMatch(of: /\n +expr: (?:>-)?([^\n]*(?:\n {12}[^\n]+)*)/)?.output.1,
                let runbook = block.firstMatch(of: /\n +runbook_url: (\S+)\n/)?.output.1
            else { throw Unreadable(text: String(block)) }
            let words = expression.split { $0.isWhitespace }.joined(separator: " ")
            return AlertRule(
                name: String(block.prefix { $0 != "\n" }),
                expression: words.hasPrefix("'") ? String(words.dropFirst().dropLast()) : words,
                runbook: String(runbook))
        }
    }

    /// The series of a scrape for which the expression holds, as far as it is one comparison of one metric.
    ///
    /// - Parameter now: in seconds since 1970: what `time()` is, and `timestamp(…)` of any sample of the scrape.
    func series(in scrape: Scrape, at now: Double) throws -> [String] {
        let form =
            /(?<before>time\(\) - )?(?<metric>[a-z_]+)(?:\{(?<labels>[^}]*)\})?(?: - (?:time\(\)|timestamp\((?<of>[a-z_]+)\)))? (?<sign>==|<=|>=|<|>) (?<threshold>-?[0-9.]+)/
        guard let rule = expression.wholeMatch(of: form)?.output, let threshold = Double(rule.threshold),
            rule.of.map({ $0 == rule.metric }) ?? true
        else { throw Unreadable(text: expression) }
        let isAge = rule.before != nil
        let isDistance = expression.contains("\(rule.metric) - ") || expression.contains("} - ")
        return try scrape.values.filter { series, value in
            guard series.prefix(while: { $0 != "{" }) == rule.metric, try has(series, rule.labels) else { return false }
            let value = isAge ? now - value : isDistance ? value - now : value
            return switch rule.sign {
            case "==": value == threshold
            case "<=": value <= threshold
            case ">=": value >= threshold
            case "<": value < threshold
            default: value > threshold
            }
        }.keys.sorted()
    }

    /// Whether a series has labels as a selector asks for.
    private func has(_ series: String, _ selector: Substring?) throws -> Bool {
        try (selector ?? "").split(separator: ",").allSatisfy { part in
            guard let match = part.wholeMatch(of: /(\w+)(=|!=)("[^"]*")/) else {
                throw Unreadable(text: expression)
            }
            return series.contains("\(match.output.1)=\(match.output.3)") == (match.output.2 == "=")
        }
    }

    static let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
