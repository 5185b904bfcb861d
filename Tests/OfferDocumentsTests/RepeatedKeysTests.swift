import OfferModel
import OfferTestSupport
import Testing

@testable import OfferDocuments

@Suite("keys that are given twice")
struct RepeatedKeysTests {
    private func errors(_ text: String) -> [DocumentIssue] {
        do throws(InvalidDocument) {
            _ = try CatalogReader.read(text)
            return []
        } catch {
            return error.errors
        }
    }

    @Test("two megabytes of one key are refused at the hundredth time, before the library reads any (invariant 10)")
    func twoMegabytes() {
        let text = String(repeating: "a: 1\n", count: DocumentLimits.bytes / 5)
        let found = errors(text)
        #expect(found.count == 101)
        #expect(found.prefix(100).map(\.line) == Array(2...101))
        #expect(found.prefix(100).allSatisfy { $0.code == .duplicateKey && $0.detail == "key `a` is given twice" })
        #expect(found.prefix(100).allSatisfy { $0.column == 1 && $0.hint == "keep one" })
        #expect(found.last?.code == .tooManyErrors)
    }

    @Test("forty of them are found in one pass, each at its place and beside the other errors (invariant 10)")
    func many() {
        // Each line has one that is repeated and one that is unknown.
        let keys = (0..<40).map { "\"bundleId\": b\($0)\nunknown\($0): 1\n" }.joined()
        let found = errors("bundleId: a\n\(keys)offers: [{ id: a, id : b }]\n")
        let repeated = found.filter { $0.code == .duplicateKey }
        #expect(repeated.map(\.line) == (0..<40).map { 2 * $0 + 2 } + [82])
        #expect(repeated.last?.path == "offers[0]")
        #expect(repeated.last?.detail == "key `id` is given twice")
        #expect(found.count { $0.code == .unknownKey } == 40)
        #expect(found.contains { $0.code == .missingKey && $0.detail == "missing key `subscriptionGroups`" })
    }

    @Test(
        "a key that only looks repeated is none",
        arguments: [
            // More of them than errors are reported.
            String(repeating: "- a: 1\n", count: 200), "[" + String(repeating: "{a: 1}, ", count: 200) + "]",
            "a: 1\nb: { a: 1 }", "- a: 1\n- a: 2", "- - a: 1\n  - a: 2\n- - a: 3", "[a: 1, a: 2]", "{a: [a, a], b: a}",
            "a: 'a: 1'\nb: \"a: 2\" # a: 3", "a:\n- a: 1\n- a: 2\nb:\n- a: 1",
            "a:\n  b:\n    c: 1\n  d:\n    c: 1\nc: 1", "{a: {a: {a: 1}}, b: [{a: 1}, {a: 1}]}",
            "a: x\n\"a \": y", "{a: b, b: a}", "a: {b: 1}\nc: {b: 1}",
        ])
    func distinct(text: String) throws {
        let root = try DocumentParser.parse(Array(text.utf8))
        #expect(Self.repeated(root) == [])
    }

    @Test(
        "a key is the same in quotes, in braces, without a value and beside another style",
        arguments: [
            ("a: 1\n\"a\": 2", 2), ("'a': 1\nb: 1\na : 2", 3), ("{a: 1, a: 2}", 1), ("{a, a}", 1), ("{a, b, 'a'}", 1),
            ("{\"a\":1,\"a\":2}", 1), ("x:\n  a: 1\n  b: [c]\n  a: 2", 4), ("- a: 1\n  b: 1\n  a: 2", 3),
            ("- - a: 1\n    a: 2", 2), ("é: 1\né: 2", 2), ("a: {x: 1,\n  y: 1,\n  x: 2}", 3), ("a:\n- b\na:\n- c", 3),
            ("{a: [1, {b: 1}], a: {b: 1}}", 1), ("? ", 0), ("a b: 1\na b: 2", 2),
        ])
    func same(text: String, line: Int) throws {
        guard line > 0 else { return }
        let root = try DocumentParser.parse(Array(text.utf8))
        #expect(Self.repeated(root).map(\.line) == [line])
    }

    @Test("one that is written with an escape is found as any other")
    func escaped() {
        let found = errors("bundleId: a\n\"bundle\\x49d\": b\n")
        #expect(found.map(\.code) == [.missingKey, .missingKey, .duplicateKey])
        #expect(found.last?.detail == "key `bundleId` is given twice")
        #expect(found.last?.line == 2)
    }

    @Test("in any document of mappings and lists, in any style, exactly those are found that were written")
    func random() throws {
        for seed in UInt64(1)...400 {
            var writer = RandomDocument(generator: SeededGenerator(seed: seed))
            let text = writer.document()
            let root = try DocumentParser.parse(Array(text.utf8))
            #expect(Self.repeated(root) == writer.repeated.sorted { $0.order < $1.order }, "seed \(seed):\n\(text)")
        }
    }

    /// The places of the keys of a tree that are marked as repeated, in the order of the text.
    private static func repeated(_ node: DocumentNode) -> [DocumentPosition] {
        switch node.content {
        case .mapping(let entries):
            entries.flatMap { ($0.isRepeated ? [$0.keyPosition] : []) + repeated($0.value) }
        case .sequence(let items): items.flatMap(repeated)
        case .scalar, .empty: []
        }
    }

    /// Writes documents of which it knows where a key is given again.
    private struct RandomDocument {
        var generator: SeededGenerator
        var repeated: [DocumentPosition] = []
        private var text = ""
        private var position = DocumentPosition.start

        init(generator: SeededGenerator) {
            self.generator = generator
        }

        mutating func document() -> String {
            writeBlock(indentation: 0, depth: 0)
            return text
        }

        private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

        private mutating func write(_ part: String) {
            text += part
            for scalar in part.unicodeScalars {
                if scalar == "\n" {
                    position = DocumentPosition(line: position.line + 1, column: 1)
                } else {
                    position.column += 1
                }
            }
        }

        private mutating func key(_ seen: inout Set<String>) {
            let names = ["a", "b", "long key", "é", "k1", "k2", "k3", "k4", "k5", "k6"]
            let name = names.randomElement(using: &generator) ?? "a"
            if !seen.insert(name).inserted { repeated.append(position) }
            write(chance(30) ? "\"\(name)\"" : chance(20) ? "'\(name)'" : name)
        }

        private mutating func scalar() {
            write(["1", "text", "\"a: b, {\"", "'it''s'", "a b", "\"\\\"x\""].randomElement(using: &generator) ?? "1")
        }

        /// A mapping at the start of a line, or after a dash.
        private mutating func writeBlock(indentation: Int, depth: Int) {
            var seen: Set<String> = []
            for entry in 0..<Int.random(in: 1...4, using: &generator) {
                if entry > 0 { write(String(repeating: " ", count: indentation)) }
                key(&seen)
                write(chance(20) ? " : " : ": ")
                switch Int.random(in: 0..<(depth < 4 ? 5 : 2), using: &generator) {
                case 0:
                    scalar()
                    write(chance(20) ? " # a: 1, a: 2\n" : "\n")
                case 1:
                    writeFlow(depth: depth)
                    write("\n")
                case 2:
                    write("\n" + String(repeating: " ", count: indentation + 2))
                    writeBlock(indentation: indentation + 2, depth: depth + 1)
                default:
                    // A list may stand at the column of its key.
                    let column = indentation + (chance(50) ? 2 : 0)
                    write("\n")
                    for _ in 0..<Int.random(in: 1...3, using: &generator) {
                        write(String(repeating: " ", count: column) + "- ")
                        if chance(60) {
                            writeBlock(indentation: column + 2, depth: depth + 1)
                        } else {
                            scalar()
                            write("\n")
                        }
                    }
                }
            }
        }

        private mutating func writeFlow(depth: Int) {
            let isMapping = chance(60)
            write(isMapping ? "{" : "[")
            var seen: Set<String> = []
            for entry in 0..<Int.random(in: 1...4, using: &generator) {
                if entry > 0 { write(chance(50) ? ", " : ",") }
                if isMapping {
                    key(&seen)
                    if chance(20) { continue }
                    write(": ")
                }
                if depth < 4, chance(30) { writeFlow(depth: depth + 1) } else { scalar() }
            }
            write(isMapping ? "}" : "]")
        }
    }
}

extension DocumentPosition {
    fileprivate var order: (Int, Int) { (line, column) }
}

@Suite("cost of a hostile document")
struct DocumentCostTests {
    private func firstError(_ text: String) -> DocumentIssue? {
        do throws(InvalidDocument) {
            _ = try CatalogReader.read(text)
            return nil
        } catch {
            return error.errors.first
        }
    }

    @Test(
        "more tokens than a catalog needs are refused where they begin, however few bytes they have (invariant 10)",
        arguments: ["1,", "[],", "{},", "a: 1,", "\"\","])
    func tokens(unit: String) {
        let found = firstError("a: [" + String(repeating: unit, count: 300_000) + "]")
        #expect(found?.code == .tooLarge)
        #expect(found.map { $0.column <= 4 + unit.count * DocumentLimits.tokens } == true)
        let fits = firstError("a: [" + String(repeating: unit, count: DocumentLimits.tokens / 5) + "]")
        #expect(fits?.code == .missingKey)
    }

    @Test("an error beyond those that are reported is not made at all (invariant 10)")
    func lazyErrors() {
        let log = IssueLog()
        var made = 0
        for line in 1...1_000 {
            log.refuse(Self.issue(line, &made))
        }
        #expect(made == DocumentLimits.issues)
        #expect(log.isFull)
        let refusal = log.refusal
        #expect(refusal.errors.count == DocumentLimits.issues + 1)
        #expect(refusal.errors.last?.code == .tooManyErrors)
    }

    private static func issue(_ line: Int, _ made: inout Int) -> DocumentIssue {
        made += 1
        return DocumentIssue(code: .syntax, line: line, column: 1, detail: "")
    }

    @Test("nothing more of a document is read once its errors are as many as are reported (invariant 10)")
    func stops() throws {
        let log = IssueLog()
        let list = Field(
            node: try DocumentParser.parse(Array("[\(String(repeating: "{a: 1}, ", count: 1_000))]".utf8)), path: "",
            log: log)
        let items = try #require(list.list())
        let read = items.filter { $0.mapping([]) != nil }
        #expect(read.count == DocumentLimits.issues + 1)
        #expect(list.list() == nil)
    }
}
