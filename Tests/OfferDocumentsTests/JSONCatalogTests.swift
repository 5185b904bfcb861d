import OfferDocuments
import Testing

@Suite("A catalog that is given as JSON")
struct JSONCatalogTests {
    private static let catalog = """
        {
          "bundleId": "com.example.pro",
          "subscriptionGroups": [{ "id": "21500001", "products": [
            { "productId": "com.example.pro.monthly", "level": 1, "period": "P1M", "price": { "amount": "9.99", "currency": "USD" } }
          ] }],
          "offers": []
        }
        """

    private func read(_ text: String, isJSON: Bool) -> [DocumentIssue] {
        do throws(InvalidDocument) {
            _ = try CatalogReader.read(text, isJSON: isJSON)
            return []
        } catch {
            return error.errors
        }
    }

    @Test("is read as it is as YAML, a byte order mark included", arguments: ["", "\u{FEFF}", "\n\n"])
    func accepted(_ mark: String) throws {
        let text = mark + Self.catalog
        #expect(try CatalogReader.read(text, isJSON: true).value == CatalogReader.read(text).value)
    }

    @Test(
        "is refused at the place where it is more than JSON, which YAML may be",
        arguments: [
            ("\"offers\": []\n", "\"offers\": [],\n", 7, 1),
            ("\"currency\": \"USD\" } }\n", "\"currency\": \"USD\" } },\n", 5, 3),
            ("\"offers\"", "# spring\n  \"offers\"", 6, 3),
            ("\"offers\"", "offers", 6, 3),
            ("\"com.example.pro\"", "'com.example.pro'", 2, 15),
            ("\"com.example.pro\"", "com.example.pro", 2, 15),
            ("\"level\": 1", "\"level\": 01", 4, 57),
            ("\"level\": 1", "\"level\": +1", 4, 56),
            ("\"offers\": []\n}", "\"offers\": []\n}\n# the end", 8, 1),
        ] as [(String, String, Int, Int)])
    func moreThanJSON(_ part: String, _ changed: String, _ line: Int, _ column: Int) throws {
        let text = Self.catalog.replacing(part, with: changed)
        try #require(text != Self.catalog)
        let issue = try #require(read(text, isJSON: true).first)
        #expect(issue.code == .syntax && issue.detail.hasPrefix("not JSON, "), "\(issue)")
        #expect(issue.hint?.contains("no comma after the last member") == true)
        #expect(issue.line == line && issue.column == column, "\(issue)")
        // What is YAML has another fault at most, such as a number with a sign.
        #expect(!read(text, isJSON: false).contains { $0.code == .syntax })
    }

    @Test(
        "that is nothing, no object or hostile is refused",
        arguments: [
            ("", DocumentIssueCode.emptyDocument), ("null", .emptyDocument), ("[]", .wrongType), ("\"x\"", .wrongType),
            ("bundleId: com.example.pro", .syntax), ("{\"a\":1,\"a\":2}", .duplicateKey), ("{} {}", .syntax),
            ("{\"bundleId\": \"\u{0000}\"}", .invalidCharacter), (String(repeating: "[", count: 300), .syntax),
            (String(repeating: "[", count: 200) + String(repeating: "]", count: 200), .tooDeep),
        ])
    func hostile(_ text: String, _ code: DocumentIssueCode) {
        #expect(read(text, isJSON: true).map(\.code).contains(code), "\(read(text, isJSON: true))")
    }
}
