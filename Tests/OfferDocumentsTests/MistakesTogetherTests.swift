import OfferModel
import Testing

@testable import OfferDocuments

@Suite("mistakes of one mapping")
struct MistakesTogetherTests {
    /// A valid document and its reader, which gives the errors of another.
    struct Sample: Sendable, CustomTestStringConvertible {
        let file: String
        let errors: @Sendable ([UInt8]) -> [DocumentIssue]
        /// Members that decide which others there are or what they must be, by their keys, with the reason.
        var deciding: [String: String] = [:]

        var testDescription: String { file }

        init<Value: Sendable>(
            _ file: String, deciding: [String: String] = [:],
            _ read: @escaping @Sendable ([UInt8]) throws(InvalidDocument) -> ValidDocument<Value>
        ) {
            self.file = file
            self.deciding = deciding
            errors = { bytes in
                do throws(InvalidDocument) {
                    _ = try read(bytes)
                    return []
                } catch {
                    return error.errors
                }
            }
        }

        private static let limits = [
            "fact": "a value is of the fact's type", "spend": "a budget has other members than a number of uses",
            "per": "only a limit per customer has a window",
        ]

        static let all = [
            Sample(
                "full.yaml",
                deciding: [
                    "type": "an offer has the members of its type",
                    "delivery": "an offer has the members of its delivery",
                    "paymentMode": "a free trial has no price",
                    "subscriptionGroups": "prices and budgets are compared with the products",
                    "products": "prices and budgets are compared with the products",
                ].merging(limits) { first, _ in first }
            ) { bytes throws(InvalidDocument) in try CatalogReader.read(bytes) },
            Sample(
                "keys-file.yaml",
                deciding: [
                    "keyId": "how many keys sign is counted if each can be read",
                    "privateKey": "how many keys sign is counted if each can be read",
                    "use": "how many keys sign is counted if each can be read",
                ]
            ) { bytes throws(InvalidDocument) in try KeysReader.read(bytes) },
            Sample("offerd.yaml") { bytes throws(InvalidDocument) in try ConfigurationReader.read(bytes) },
            Sample(
                "Examples/scenarios/year.yaml",
                deciding: [
                    "type": "an introductory offer has no identifier", "paymentMode": "a free trial has no price",
                ]
            ) { bytes throws(InvalidDocument) in try ScenarioReader.read(bytes) },
            Sample(
                "cases.yaml",
                deciding: ["expect": "a case about an offer needs one"].merging(limits) { first, _ in first }
            ) { bytes throws(InvalidDocument) in
                try CaseReader.read(bytes) { _ in nil }
            },
        ]
    }

    @Test("any two are reported together, as each is alone", arguments: Sample.all)
    func pairs(sample: Sample) throws {
        let bytes =
            try sample.file.contains("/") ? Fixture.repository(sample.file) : Fixture.bytes("design/\(sample.file)")
        let root = try DocumentParser.parse(bytes)
        try #require(sample.errors(Array(Self.json(root, [:]).utf8)).map(\.detail) == [])
        func errors(_ changes: [[Step]: Change]) -> Set<Mistake> {
            Set(sample.errors(Array(Self.json(root, changes).utf8)).map(Mistake.init))
        }
        var pairs = 0
        for mapping in Self.mappings(root) {
            let single = mapping.map { place in Change.allCases.map { errors([place: $0]) } }
            for (first, one) in mapping.enumerated() {
                for (second, other) in mapping.enumerated() where first != second {
                    for (kind, change) in Change.allCases.enumerated() where first < second || change == .missing {
                        guard !Self.decides(one, sample), !Self.decides(other, sample) else { continue }
                        let expected = single[first][0].filter { !$0.isWithin(other) }
                            .union(single[second][kind].filter { !$0.isWithin(one) })
                        let found = errors([one: .wrong, other: change])
                        pairs += 1
                        #expect(
                            found.isSuperset(of: expected),
                            "\(one) wrong, \(other) \(change): lacks \(expected.subtracting(found))")
                    }
                }
            }
        }
        #expect(pairs > 20)
    }

    struct Mistake: Hashable {
        let code: DocumentIssueCode
        let path: String
        let detail: String

        init(_ issue: DocumentIssue) {
            (code, path, detail) = (issue.code, issue.path, issue.detail)
        }

        /// Whether it is about a part of that value, which another value replaces.
        func isWithin(_ place: [Step]) -> Bool {
            let whole = place.reduce("") { path, step in
                switch step {
                case .key(let key): path.isEmpty ? key : "\(path).\(key)"
                case .item(let index): "\(path)[\(index)]"
                }
            }
            return path.hasPrefix(whole + ".") || path.hasPrefix(whole + "[")
        }
    }

    enum Change: CaseIterable { case wrong, missing }

    enum Step: Hashable, CustomStringConvertible {
        case key(String)
        case item(Int)

        var description: String {
            switch self {
            case .key(let key): key
            case .item(let index): "\(index)"
            }
        }
    }

    private static func decides(_ place: [Step], _ sample: Sample) -> Bool {
        guard case .key(let key) = place.last else { return false }
        return sample.deciding[key] != nil
    }

    /// The members of every mapping.
    private static func mappings(_ node: DocumentNode, at path: [Step] = []) -> [[[Step]]] {
        switch node.content {
        case .mapping(let entries):
            [entries.map { path + [.key($0.key)] }] + entries.flatMap { mappings($0.value, at: path + [.key($0.key)]) }
        case .sequence(let items):
            items.enumerated().flatMap { mappings($1, at: path + [.item($0)]) }
        case .scalar, .empty: []
        }
    }

    /// The document as JSON, with some of its values replaced by a mapping that fits nowhere, or left out.
    private static func json(_ node: DocumentNode, _ changes: [[Step]: Change], at path: [Step] = []) -> String {
        if changes[path] == .wrong { return #"{"wrong":true}"# }
        switch node.content {
        case .empty: return "null"
        case .scalar(let text, let isQuoted):
            let isPlain = !isQuoted && (PlainScalar.number(text) != nil || text == "true" || text == "false")
            return isPlain ? text : JSONText.of(.text(text)).split(separator: "\n").joined()
        case .sequence(let items):
            return "[" + items.enumerated().map { json($1, changes, at: path + [.item($0)]) }.joined(separator: ",")
                + "]"
        case .mapping(let entries):
            let kept = entries.filter { changes[path + [.key($0.key)]] != .missing }
            return "{"
                + kept.map { "\"\($0.key)\":" + json($0.value, changes, at: path + [.key($0.key)]) }
                .joined(separator: ",") + "}"
        }
    }
}
