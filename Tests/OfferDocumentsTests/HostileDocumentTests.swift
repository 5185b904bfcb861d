import OfferTestSupport
import Testing

@testable import OfferDocuments

@Suite struct HostileDocumentTests {
    private func firstCode(_ bytes: [UInt8]) -> DocumentIssueCode? {
        do throws(InvalidDocument) {
            _ = try CatalogReader.read(bytes)
            return nil
        } catch {
            return error.errors.first?.code
        }
    }

    private func firstCode(_ text: String) -> DocumentIssueCode? {
        firstCode(Array(text.utf8))
    }

    @Test("nested aliases are refused before anything expands them (invariant 10)")
    func aliasBomb() {
        var lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
        for level in 1...40 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
            lines.append("a\(level): &a\(level) [\(aliases)]")
        }
        lines.append("? *a40 : 1")
        #expect(firstCode(lines.joined(separator: "\n")) == .unsupportedSyntax)
    }

    @Test(
        "an alias hidden where only a YAML scanner sees it is refused",
        arguments: [
            "a: b\n  \"c\nd: *x\ne: \"", "--- *x", "[a\n \"b, *x]", "{\"a\":*x}", "{a: b, *x : 1}", "- - *x",
            "a: 'it''s'\nb: *x", "a: \"\\\"\"\nb: *x", "a: b # 'c\nd: *x", "[a]: b\n'c': *x", "a:\n  b\n  \"c\nd: *x",
            "\"a\"#'\n: *x",
        ])
    func hiddenAliases(text: String) {
        let code = firstCode("x: &x y\n" + text)
        #expect(code == .unsupportedSyntax)
        let alone = firstCode(text)
        #expect(alone == .unsupportedSyntax || alone == .syntax)
    }

    @Test("YAML's extras inside text and comments are text")
    func harmless() throws {
        let text = """
            # an &anchor, an *alias, a !tag and a | in a comment
            listen: 127.0.0.1:8080 # & * ! | >
            database: "a & *b !c | d"
            keys: 'it''s #1 & more.yaml'

            """
        let configuration = try ConfigurationReader.read(Array(text.utf8)).value
        #expect(configuration.database == "a & *b !c | d")
        #expect(configuration.keys == "it's #1 & more.yaml")
    }

    @Test(
        "deep nesting is refused, whatever it is made of (invariant 10)",
        arguments: [
            String(repeating: "[", count: 100_000), String(repeating: "{a: ", count: 100_000),
            String(repeating: "- ", count: 100_000),
            (0..<1_000).map { String(repeating: " ", count: $0) + "a:\n" }.joined(),
            (0..<100).map { String(repeating: "    ", count: $0) + "- a:\n" }.joined(),
        ])
    func deep(text: String) {
        #expect(firstCode(text) == .tooDeep)
    }

    @Test("bytes that are not UTF-8 are refused with their line")
    func notUTF8() throws {
        let bytes = Array("bundleId: a\nx: ".utf8) + [0xC3, 0x28]
        let invalid = try #require(throws: InvalidDocument.self) { try CatalogReader.read(bytes) }
        #expect(invalid.errors.map(\.code) == [.notUTF8])
        #expect(invalid.errors.map(\.line) == [2])
    }

    @Test(
        "invisible characters are refused with their place",
        arguments: ["\u{0}", "\u{7F}", "\u{85}", "\u{2028}", "\u{E000}", "\u{FEFF}"])
    func invisible(character: String) throws {
        let text = "bundleId: com.example.pro\nx: a\(character)b\n"
        let invalid = try #require(throws: InvalidDocument.self) { try CatalogReader.read(text) }
        #expect(invalid.errors.map(\.code) == [.invalidCharacter])
        #expect(invalid.errors.map(\.line) == [2])
        #expect(invalid.errors.map(\.column) == [5])
    }

    @Test("more than 2 MiB are refused unread, and 2 MiB of anything get an answer (invariant 10)")
    func large() {
        #expect(firstCode([UInt8](repeating: 0x20, count: DocumentLimits.bytes + 1)) == .tooLarge)
        #expect(firstCode([UInt8](repeating: 0x61, count: DocumentLimits.bytes)) != nil)
        let commas = { "offers: [" + String(repeating: "a,", count: $0) + "]" }
        #expect(firstCode(commas(DocumentLimits.tokens / 2 - 10)) == .missingKey)
        #expect(firstCode(commas(500_000)) == .tooLarge)
    }

    @Test("at most 100 errors are reported, and that there are more")
    func manyErrors() throws {
        let text = "offers: [" + String(repeating: "a,", count: 2_000) + "]"
        let invalid = try #require(throws: InvalidDocument.self) { try CatalogReader.read(text) }
        #expect(invalid.errors.count == 101)
        #expect(invalid.errors.last?.code == .tooManyErrors)
    }

    @Test("nothing at all is an empty document", arguments: ["", " \n", "# only this\n", "---\n", "~\n", "null\n"])
    func empty(text: String) {
        #expect(firstCode(text) == .emptyDocument)
    }

    @Test("thousands of damaged catalogs give a catalog or errors with lines that exist (invariant 10)")
    func mutations() throws {
        var generator = SeededGenerator(seed: 20_261_121)
        let original = try Fixture.repository("Examples/catalog.yaml")
        let tokens = [
            "&a ", "*a ", "!x ", "- ", ": ", "? ", "[", "]", "{", "}", "\"", "'", "#", "|", ">", "\n", "\t", "---\n",
            "<<: ", "~", "null", "1e999", "0x10", "-1", "\u{0}", "é", "\r", "  ", "all: ", "not: ",
        ].map { Array($0.utf8) }
        var accepted = 0
        for round in 0..<3_000 {
            var bytes = original
            for _ in 0...Int.random(in: 0..<4, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(contentsOf: tokens.randomElement(using: &generator) ?? [], at: index)
                case 3: bytes.removeSubrange(index..<min(bytes.count, index + 40))
                default:
                    let end = min(bytes.count, index + 60)
                    bytes.insert(contentsOf: bytes[index..<end], at: Int.random(in: 0..<bytes.count, using: &generator))
                }
            }
            do throws(InvalidDocument) {
                let catalog = try CatalogReader.read(bytes).value
                accepted += 1
                let again = try CatalogReader.read(CatalogWriter.yaml(catalog)).value
                #expect(again == catalog, "seed \(generator.seed), round \(round)")
            } catch {
                let lines = bytes.split(omittingEmptySubsequences: false) { $0 == 0x0A || $0 == 0x0D }.count
                #expect(!error.errors.isEmpty, "seed \(generator.seed), round \(round)")
                for issue in error.errors {
                    #expect((1...lines).contains(issue.line), "seed \(generator.seed), round \(round): \(issue)")
                    #expect(issue.column >= 1)
                }
            }
        }
        #expect(accepted > 0)
    }
}
