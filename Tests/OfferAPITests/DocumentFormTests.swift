import OfferAPI
import Testing

@Suite("A document sent as JSON is JSON")
struct DocumentFormTests {
    private func fault(_ text: String) -> ProblemErrorBody? {
        do throws(RequestFault) {
            try WireJSON.checkDocument(Array(text.utf8))
            return nil
        } catch {
            return error.errors.first
        }
    }

    @Test(
        "what only YAML allows is refused at its line and column",
        arguments: [
            ("version: 1\n", 1, 1), ("{\"a\": 1, # why\n\"b\": 2}", 1, 10), ("{\n  a: 1\n}", 2, 3),
            ("{\n  \"a\": 'x'\n}", 2, 8), ("{\"a\": yes}", 1, 7), ("{\"a\": [1, 2,]}", 1, 13), ("---\n{}", 1, 2),
            ("{\n \"é\": x}", 2, 7), ("{\"a\": *b}", 1, 7),
        ])
    func yamlOnly(_ text: String, line: Int, column: Int) {
        let found = fault(text)
        #expect(found?.code == "malformedJson")
        #expect(found?.line == line)
        #expect(found?.column == column)
    }

    @Test("what the document's reader judges better is left to it")
    func leftToReader() {
        #expect(fault("{\"a\":1,\"a\":2}") == nil, "a member given twice")
        #expect(fault(String(repeating: "[", count: 65) + String(repeating: "]", count: 65)) == nil, "the depth")
        #expect(
            fault("{\"\(String(repeating: "k", count: 2_000))\":\"\(String(repeating: "v", count: 9_999))\"}") == nil)
        #expect(fault(String(repeating: "9", count: 1_000)) == nil)
        #expect(fault("\u{FEFF}{}") == nil, "a byte order mark")
    }

    @Test("nesting is bounded all the same (invariant 10)")
    func depth() {
        #expect(
            fault(String(repeating: "[", count: 100_000))?.detail == "byte 256: the value nests deeper than 256 levels")
    }

    @Test("a long name before a long list costs no more than its bytes (invariant 10)", .timeLimit(.minutes(1)))
    func longNameAndList() {
        let name = String(repeating: "a", count: 1_000_000)
        let list = String(repeating: "1,", count: 500_000)
        #expect(fault("{\"\(name)\":[\(list)1]}") == nil)
        #expect(fault("{\"\(name)\":[\(list)x]}")?.pointer == "/\(name)/500000")
    }
}
