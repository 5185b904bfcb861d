import OfferDocuments
import Testing

/// Wrong catalogs as files; what must be said about each stands at its head, five comment lines for each error.
@Suite struct WrongCatalogTests {
    static let names = (try? Fixture.names("wrong")) ?? []

    @Test(
        "each of at least 45 wrong catalogs is refused with exactly its errors, line, path, detail and hint",
        arguments: names)
    func refused(name: String) throws {
        let bytes = try Fixture.bytes("wrong/\(name)")
        let expected = Self.expectations(String(decoding: bytes, as: UTF8.self))
        try #require(!expected.isEmpty)
        let invalid = try #require(throws: InvalidDocument.self) { try CatalogReader.read(bytes) }
        #expect(invalid.errors.map(Expectation.init) == expected)
    }

    @Test("there are at least 45 of them")
    func enough() {
        #expect(Self.names.count >= 45)
    }

    struct Expectation: Equatable {
        var code: String
        var line: Int
        var path: String
        var detail: String
        var hint: String

        init(_ issue: DocumentIssue) {
            (code, line, path, detail) = (issue.code.rawValue, issue.line, issue.path, issue.detail)
            hint = issue.hint ?? ""
        }

        init?(_ values: ArraySlice<String>) {
            guard values.count == 5, let first = values.first, let line = Int(values[values.startIndex + 1]) else {
                return nil
            }
            code = first
            self.line = line
            (path, detail) = (values[values.startIndex + 2], values[values.startIndex + 3])
            hint = values[values.startIndex + 4]
        }
    }

    private static func expectations(_ text: String) -> [Expectation] {
        let head = text.split(separator: "\n").prefix { $0.hasPrefix("# ") }.map { line in
            String(line.drop { $0 != ":" }.dropFirst(2))
        }
        return stride(from: 0, to: head.count, by: 5).compactMap { Expectation(head[$0..<min($0 + 5, head.count)]) }
    }
}
