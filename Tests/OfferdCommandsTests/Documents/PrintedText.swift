import Foundation

/// Compares what a document shows with what a command printed, but for what differs from run to run: ids, moments,
/// signatures, ports.
///
/// An id of the document stands for the one that came in its place, in later commands too.
struct PrintedText {
    /// The ids of this run by those of the document.
    private(set) var ids: [String: String] = [:]

    /// Ids that are the same in every run: the customers of `Examples/scenarios/`, and the one that nobody has.
    private static func isFixed(_ id: String) -> Bool { Set(id).count <= 5 }

    /// The command with this run's ids.
    func current(_ command: String) -> String {
        ids.reduce(command) { $0.replacing($1.key, with: $1.value) }
    }

    /// The differences that matter.
    mutating func differences(shown: String, printed: String) -> [String] {
        // A document says once where `offerctl` works, not at each command. Whether a count takes long enough for its
        // size to be noted depends on the machine.
        let output = printed.replacing(
            #/(?m)^(com\.example\.pro in LocalTesting|counting \d+ customers .*)\n/#, with: "")
        if let shown = Self.json(shown), let printed = Self.json(output) {
            return compare(shown, printed, at: "$")
        }
        let (shown, printed) = (Self.lines(shown), Self.lines(output))
        guard let gap = shown.firstIndex(of: "…") else { return compare(lines: shown, printed) }
        let rest = shown.count - gap - 1
        guard printed.count >= gap + rest else { return ["too few lines:\n" + printed.joined(separator: "\n")] }
        return compare(lines: Array(shown[..<gap]), Array(printed[..<gap]))
            + compare(lines: Array(shown.suffix(rest)), Array(printed.suffix(rest)))
    }

    private mutating func compare(lines shown: [String], _ printed: [String]) -> [String] {
        guard shown.count == printed.count else {
            return ["\(shown.count) lines are shown and \(printed.count) printed:\n" + printed.joined(separator: "\n")]
        }
        return zip(shown, printed).flatMap { compare($0, $1, at: "the line") }
    }

    /// The entry `"…"` of a list stands for any entries, the member `"…"` of an object for any members.
    private mutating func compare(_ shown: Any, _ printed: Any, at place: String) -> [String] {
        switch (shown, printed) {
        case (let shown as [String: Any], let printed as [String: Any]):
            var names = Set(shown.keys).subtracting(["…"])
            if shown["…"] == nil { names.formUnion(printed.keys) }
            return names.sorted().flatMap { name in
                guard let left = shown[name], let right = printed[name] else {
                    return ["\(place).\(name) is only \(shown[name] == nil ? "printed" : "shown")"]
                }
                return compare(left, right, at: "\(place).\(name)")
            }
        case (let shown as [Any], let printed as [Any]): return compare(list: shown, printed, at: place)
        case (let shown as String, let printed as String): return compare(shown, printed, at: place)
        case (let shown as NSNumber, let printed as NSNumber):
            let areMoments = shown.int64Value > 1_000_000_000_000 && printed.int64Value > 1_000_000_000_000
            return areMoments || shown == printed ? [] : ["\(place): \(shown) is shown, \(printed) printed"]
        default: return ["\(place): \(shown) is shown, \(printed) printed"]
        }
    }

    private mutating func compare(list shown: [Any], _ printed: [Any], at place: String) -> [String] {
        let entries = shown.filter { $0 as? String != "…" }
        if entries.count == shown.count {
            guard shown.count == printed.count else { return ["\(place) has \(printed.count) entries"] }
            return zip(shown, printed).enumerated().flatMap { compare($1.0, $1.1, at: "\(place)[\($0)]") }
        }
        var rest = printed[...]
        for (number, entry) in entries.enumerated() {
            var next: PrintedText?
            while next == nil, let candidate = rest.popFirst() {
                var trial = self
                if trial.compare(entry, candidate, at: place).isEmpty { next = trial }
            }
            guard let next else { return ["\(place): entry \(number) of those shown is not printed"] }
            self = next
        }
        return []
    }

    private mutating func compare(_ shown: String, _ printed: String, at place: String) -> [String] {
        guard Self.constant(shown) == Self.constant(printed) else {
            return ["\(place):\n  shown   \(shown)\n  printed \(printed)"]
        }
        for (old, new) in zip(Self.ids(in: shown), Self.ids(in: printed)) { ids[old] = new }
        return []
    }

    private static func ids(in text: String) -> [String] {
        text.matches(of: #/[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/#).map { String($0.output) }
            .filter { !isFixed($0) }
    }

    /// The text with a word for everything that differs from run to run, and one blank for several.
    private static func constant(_ text: String) -> String {
        var text = ids(in: text).reduce(text) { $0.replacing($1, with: "<id>") }
        text.replace(#/eyJ[\w.-]{20,}…?/#, with: "<jws>")
        // DER of a signature in Base64.
        text.replace(#/ME[A-Z][\w+\/=]{20,}…?/#, with: "<signature>")
        text.replace(#/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( UTC|Z)/#, with: "<moment>")
        text.replace(#/\d{4}-\d\d-\d\d/#, with: "<day>")
        text.replace(#/\((in )?[^()]*(second|minute|hour|day)s?( ago)?\)/#, with: "<span>")
        text.replace(#/\b[0-9a-f]{16}\b/#, with: "<key>")
        text.replace(#/http:\/\/127\.0\.0\.1:\d+/#, with: "<server>")
        return text.replacing(#/ {2,}/#, with: " ")
    }

    private static func lines(_ text: String) -> [String] {
        var lines = text.components(separatedBy: "\n").map { $0.replacing(#/\s+$/#, with: "") }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private static func json(_ text: String) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(text.utf8))
    }
}
