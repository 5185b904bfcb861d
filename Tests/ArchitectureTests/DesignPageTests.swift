import Testing

@Suite("docs/design.md and docs/bounds.md")
struct DesignPageTests {
    private static func page(_ name: String) -> String { Repository().file("docs/\(name).md")?.text ?? "" }

    @Test("every source file that the page names is there")
    func files() throws {
        let named = Self.page("design").matches(of: /`(\w+\/[\w+\/]+\.swift)`/).map { "Sources/\($0.output.1)" }
        try #require(named.count > 20, "the table of files was not found")
        let missing = Set(named).subtracting(try Repository().sources().map(\.path))
        #expect(missing.sorted() == [])
    }

    @Test("every type that the table of bounds and the recipes name is in the code")
    func names() throws {
        let design = Self.page("design")
        let start = try #require(design.firstRange(of: "## Recipes")?.upperBound)
        let text = Self.page("bounds") + design[start...]
        let named = text.matches(of: /`([A-Z]\w*)(?:\.\w+)*`/)
            .filter { !$0.output.0.hasSuffix(".swift`") }.map(\.output.1)
        try #require(named.count > 100, "the tables were not found")
        let code = try DeclaredMembers.ofThisRepository.get()
        let others: Set<Substring> = ["ALTER", "CHANGELOG", "Scripts", "Sources"]
        let targets = try Repository().targets().map { Substring($0) }
        let missing = Set(named).subtracting(others).subtracting(targets).filter { code.members[$0] == nil }
        #expect(missing.sorted() == [])
    }
}
