import Testing

@testable import OfferDocuments

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
        #expect(issue.line == line && issue.column == column, "\(issue)")
        // What is YAML has another fault at most, such as a number with a sign.
        #expect(!read(text, isJSON: false).contains { $0.code == .syntax })
    }

    @Test(
        "is said to have no comments and no last comma only where there is one, YAML's or JavaScript's",
        arguments: [
            ("[1, ]", true), ("{\"a\": 1,\r\n\r\n}", true), ("{\"é🎉\": [1,\n\t]}", true), ("# spring\n{}", true),
            ("{} # spring", true), ("{} // spring", true), ("{ /* spring */ }", true), ("[,]", false), ("[1,", false),
            ("[1}", false), ("]", false), ("[1 / 2]", false), ("{} {}", false), ("[NaN]", false), ("{'a': 1}", false),
            ("{\"a\": \"#", false), ("[\"\\uD83C\"]", false), (String(repeating: "[", count: 2_000), false),
        ])
    func hints(_ text: String, _ isYAMLAlone: Bool) {
        let hint = read(text, isJSON: true).first?.hint
        #expect(hint?.contains("no comma after the last member") == isYAMLAlone, "\(text): \(hint ?? "no hint")")
        #expect(hint?.hasPrefix("correct it, or send YAML") == !isYAMLAlone, "\(text)")
    }

    @Test(
        "may write a character as a pair of escapes, as Python does, and what follows in the line keeps its place",
        arguments: [
            (#""\ud83c\udf89""#, #""🎉""#),
            (#""\uD83C\uDF89\uD83D\ude00 \u00e9\u00E8\/""#, #""🎉😀 éè/""#),
            (#""\\ud83c\\udf89 \"\ud83c\udf89\"""#, #""\\ud83c\\udf89 \"🎉\"""#),
        ])
    func surrogatePairs(_ escaped: String, _ plain: String) throws {
        func catalog(_ signal: String, _ rest: String = "") -> String {
            let offer = """
                { "id": "trial", "type": "introductory", "products": ["com.example.pro.monthly"], "period": "P1W",
                  "paymentMode": "freeTrial", "periodCount": 1, "status": "active", "limits": [],
                  "eligibility": { "fact": "signals.mood", "is": \(signal) }\(rest) }
                """
            return Self.catalog.replacing("\"offers\": []", with: "\"offers\": [\(offer)]")
        }
        let value = try CatalogReader.read(catalog(plain), isJSON: true).value
        #expect(try CatalogReader.read(catalog(escaped), isJSON: true).value == value)
        #expect(try CatalogReader.read(catalog(escaped)).value == value, "as it is read again once it is applied")
        let wrong = catalog(escaped, #", "wrong": 1"#)
        let lines = wrong.split(separator: "\n", omittingEmptySubsequences: false)
        let line = try #require(lines.firstIndex { $0.contains("wrong") })
        let before = try #require(lines[line].ranges(of: "\"wrong\"").first).lowerBound
        for isJSON in [true, false] {
            let issue = try #require(read(wrong, isJSON: isJSON).first)
            #expect(issue.code == .unknownKey && issue.line == line + 1, "\(issue)")
            #expect(issue.column == lines[line][..<before].unicodeScalars.count + 1, "\(issue)")
        }
    }

    @Test(
        "keeps an escape that is none of a pair", arguments: [#"\bD83C\nDF89"#, #"\\uD83C\\uDF89"#, #"\u00e9\u1234"#])
    func unpaired(_ escapes: String) {
        #expect(JSONForYAML.text("[\"\(escapes)\"]") == "[\"\(escapes)\"]")
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
