import CommandLineSupport
import Foundation
import OfferAPI
import OfferTestSupport
import Testing
import Yams

@Suite("results as YAML")
struct OutputOptionsTests {
    private static let pieces = [
        "", " ", "\n", "\r\n", "\t", "\u{85}", "\u{2028}", "\u{7F}", "a\u{FEFF}", "\u{0}", ":", " #", "- ", "? ", "'",
        "\"",
        "|", ">", "{", "[", "%", "@", "&a", "*a", "!t", "yes", "null", "~", "0x1F", "1e3", "12:30", "2026-12-01", "=",
        "<<",
        "---", "...", "word", "é", "日本", "😀", "\\",
    ]

    private func text(_ generator: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...4, using: &generator)).map { _ in
            Self.pieces.randomElement(using: &generator) ?? ""
        }.joined()
    }

    private func value(_ depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0...(depth > 0 ? 7 : 5), using: &generator) {
        case 0: .null
        case 1: .boolean(.random(using: &generator))
        case 2: .integer(.random(in: .min ... .max, using: &generator))
        case 3: .number(.random(in: -1...1, using: &generator))
        case 4, 5: .text(text(&generator))
        case 6: .list((0..<3).map { _ in value(depth - 1, &generator) })
        default:
            .object(
                Dictionary((0..<3).map { _ in (text(&generator), value(depth - 1, &generator)) }) { first, _ in first })
        }
    }

    @Test("a YAML reader finds in any result what a JSON reader finds", arguments: 1...200)
    func sameValue(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let value = JSONValue.list([value(4, &generator), value(4, &generator)])
        let yaml = try value.yaml
        #expect(Self.value(try Yams.load(yaml: yaml)) == value, "seed \(seed): \(yaml)")
    }

    private static func value(_ value: Any?) -> JSONValue {
        switch value {
        case let flag as Bool: .boolean(flag)
        case let whole as Int: .integer(Int64(whole))
        case let number as Double: .number(number)
        case let text as String: .text(text)
        case let items as [Any]: .list(items.map(Self.value))
        case let members as [AnyHashable: Any]:
            .object(Dictionary(members.map { ($0.key as? String ?? "", Self.value($0.value)) }) { first, _ in first })
        default: .null
        }
    }
}
