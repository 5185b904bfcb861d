import Testing

@Suite("Decision records")
struct DecisionRecordTests {
    private let sections = DecisionRecords.headings.map { "\($0)\n\nText.\n" }.joined(separator: "\n")

    private func record(_ name: String, _ text: String) -> SourceFile {
        SourceFile(path: "docs/decisions/\(name)", text: text)
    }

    private func problems(_ name: String, _ text: String) -> [String] {
        let index = record("README.md", "[0001](0001-first.md) [0003](0003-later.md)")
        return DecisionRecords.violations(in: [index, record(name, text)])
    }

    @Test("the records are numbered without gaps, have the four sections and stand in the index")
    func records() throws {
        let files = try Repository().files(below: "docs/decisions")
        try #require(files.count > 5, "the records were not found")
        #expect(DecisionRecords.violations(in: files) == [])
    }

    @Test("a record of the right form is accepted, each fault is found")
    func faults() {
        #expect(problems("0001-first.md", "# 0001. First\n\n\(sections)") == [])
        #expect(problems("0003-later.md", "# 0003. Later\n\n\(sections)").count == 1, "a gap")
        #expect(problems("0001-first.md", "# First\n\n\(sections)").count == 1, "no number in the title")
        #expect(problems("0001-first.md", "# 0001. First\n\n## Context\n\nText.\n").count == 1, "sections missing")
        #expect(problems("0001-first.md", "# 0001. First\n\n\(sections)## More\n\nText.").count == 1, "one too many")
        #expect(problems("0001-other.md", "# 0001. First\n\n\(sections)").count == 1, "not in the index")
        let empty = DecisionRecords.headings.joined(separator: "\n\n")
        #expect(problems("0001-first.md", "# 0001. First\n\n\(empty)").count == 1, "empty sections")
    }
}
