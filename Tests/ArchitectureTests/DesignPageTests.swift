import Testing

@Suite("docs/design.md")
struct DesignPageTests {
    private let page = Repository().file("docs/design.md")?.text ?? ""

    @Test("every source file that the page names is there")
    func files() throws {
        let named = page.matches(of: /`(\w+\/[\w+\/]+\.swift)`/).map { "Sources/\($0.output.1)" }
        try #require(named.count > 20, "the table of files was not found")
        let missing = Set(named).subtracting(try Repository().sources().map(\.path))
        #expect(missing.sorted() == [])
    }

    @Test("every type and member that the tables of bounds and the recipes name is in the code")
    func names() throws {
        let start = try #require(page.firstRange(of: "## Durations and bounds")?.upperBound)
        let named = page[start...].matches(of: /`([A-Z]\w*(?:\.\w+)*|\.\w+)`/).flatMap { match in
            match.output.1.split(separator: ".").map(String.init)
        }
        try #require(named.count > 50, "the tables were not found")
        var words: Set<Substring> = []
        for folder in ["Sources", "Tests"] {
            for file in try Repository().files(below: folder) where file.path.hasSuffix(".swift") {
                words.formUnion(file.text.split { !($0.isLetter || $0.isNumber || $0 == "_") })
            }
        }
        let files: Set = ["swift", "md", "yaml", "txt"]
        #expect(Set(named).filter { !words.contains(Substring($0)) && !files.contains($0) }.sorted() == [])
    }
}
