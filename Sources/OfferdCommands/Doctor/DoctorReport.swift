import Foundation

/// What `offerd doctor` found, for people and for machines.
struct DoctorReport: Encodable {
    enum Verdict: String, Encodable {
        case ok, warning, failed
    }

    struct Check: Encodable {
        var name: String
        var verdict: Verdict
        var detail: String
        var hint: String?

        static func ok(_ name: String, _ detail: String) -> Check {
            Check(name: name, verdict: .ok, detail: detail, hint: nil)
        }

        static func warning(_ name: String, _ detail: String, hint: String? = nil) -> Check {
            Check(name: name, verdict: .warning, detail: detail, hint: hint)
        }

        static func failed(_ name: String, _ detail: String, hint: String? = nil) -> Check {
            Check(name: name, verdict: .failed, detail: detail, hint: hint)
        }
    }

    private(set) var checks: [Check] = []

    /// Whether nothing failed; warnings are no failures.
    var isWell: Bool { !checks.contains { $0.verdict == .failed } }

    mutating func add(_ check: Check) { checks.append(check) }

    mutating func add(_ checks: [Check]) { self.checks += checks }

    /// A line a check, and its hint under it.
    var lines: [String] {
        let names = checks.map(\.name.count).max() ?? 0
        return checks.flatMap { check in
            let name = check.name.padding(toLength: names, withPad: " ", startingAt: 0)
            let verdict = check.verdict.rawValue.padding(toLength: 7, withPad: " ", startingAt: 0)
            return ["\(verdict)  \(name)  \(check.detail)"] + (check.hint.map { ["         hint: \($0)"] } ?? [])
        }
    }

    /// One JSON document.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(Document(checks: checks, ok: isWell)), as: UTF8.self)
    }

    private struct Document: Encodable {
        var checks: [Check]
        var ok: Bool
    }
}
