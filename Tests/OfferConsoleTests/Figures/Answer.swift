import Foundation
import Testing

@testable import OfferConsole

/// An answer of the API, read as what it is: JSON.
struct Answer {
    var members: [String: Any]

    init(_ members: [String: Any]) { self.members = members }

    subscript(name: String) -> Answer { Answer(members[name] as? [String: Any] ?? [:]) }

    func has(_ name: String) -> Bool { members[name] != nil }
    func text(_ name: String) -> String? { members[name] as? String }
    func number(_ name: String) -> Int? { members[name] as? Int }
    func flag(_ name: String) -> Bool? { members[name] as? Bool }
    func list(_ name: String) -> [Answer] { (members[name] as? [[String: Any]] ?? []).map(Answer.init) }

    /// A moment as ``PageElement/words`` has it.
    func at(_ name: String) -> String? { number(name).map { "@\($0)" } }

    /// A moment in a sentence, of which pages show whole seconds, as ``PageElement/words`` has it.
    func shown(_ name: String) -> String? { number(name).map { "@\($0 / 1_000 * 1_000)" } }

    func day(_ name: String) -> String? {
        number(name).map { milliseconds in
            let date = Date(timeIntervalSince1970: (Double(milliseconds) / 1_000).rounded(.down))
            return String(date.ISO8601Format().prefix(10))
        }
    }

    /// A number of customers, or that there are few.
    func count(_ name: String) -> String {
        number(name).map { "\($0)" } ?? self[name].number("fewerThan").map { "fewer than \($0)" } ?? "?"
    }

    /// A list of amounts, `9.98 EUR, 5.00 USD`; `–` without any.
    func money(_ name: String) -> String { Self.money(list(name)) }

    /// The sum of amounts by currency.
    static func money(_ amounts: [Answer]) -> String {
        let sums = Dictionary(
            grouping: amounts, by: { $0.text("currency") ?? "?" }
        ).mapValues { $0.map { milliunits($0.text("amount") ?? "") }.reduce(0, +) }
        let texts = sums.sorted { $0.key < $1.key }.map { "\(amount(decimal($0.value))) \($0.key)" }
        return texts.isEmpty ? "–" : texts.joined(separator: ", ")
    }

    static func milliunits(_ amount: String) -> Int {
        let parts = amount.split(separator: ".")
        let fraction = parts.count > 1 ? parts[1].padding(toLength: 3, withPad: "0", startingAt: 0) : "000"
        return (Int(parts.first ?? "0") ?? 0) * 1_000 + (Int(fraction) ?? 0)
    }

    /// With two digits after the point, as dollars and euros have.
    static func rounded(_ amount: String) -> String {
        let isNegative = amount.hasPrefix("-")
        let cents = (milliunits(isNegative ? String(amount.dropFirst()) : amount) + 5) / 10
        return (isNegative ? "-" : "") + String(format: "%d.%02d", cents / 100, cents % 100)
    }

    /// `1,384.63` of `1384.627`.
    static func amount(_ amount: String) -> String { grouped(rounded(amount)) }

    /// With two digits after the point, and a third where it is not zero.
    static func decimal(_ milliunits: Int) -> String {
        let text = String(format: "%d.%03d", milliunits / 1_000, milliunits % 1_000)
        return text.hasSuffix("0") ? String(text.dropLast()) : text
    }

    /// `12,345.00` of `12345.00`, as charts write numbers.
    static func grouped(_ number: String) -> String {
        let parts = number.split(separator: ".", maxSplits: 1)
        var whole = String(parts.first ?? "")
        var groups: [String] = []
        while whole.count > 3 {
            groups.insert(String(whole.suffix(3)), at: 0)
            whole = String(whole.dropLast(3))
        }
        return ([[whole] + groups].map { $0.joined(separator: ",") } + parts.dropFirst().map(String.init))
            .joined(separator: ".")
    }

    /// ` · 31.7 %`; nothing where there is nothing to be a share of.
    static func share(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "" }
        let share = (Double(part) / Double(whole) * 1_000).rounded() / 10
        return share == 0 ? " · 0 %" : String(format: " · %.1f %%", share)
    }
}
