import Testing

@Suite("Committed text")
struct TextRuleTests {
    private static let begin = "-----BEGIN " + "PRIVATE" + " KEY-----"
    private static let data = "MIGHAgEAMBMGByqG" + "SM49AgEGCCqGSM49AwEHBG0wawIBAQQg"
    private static let otherData = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAA"

    @Test("no file of the repository holds private key text (invariant 9)")
    func noKeys() throws {
        let files = try Repository().everything()
        try #require(files.count > 20, "the files were not found")
        #expect(files.flatMap { file in TextRules.privateKeys(in: file.text).map { "\(file):\($0)" } } == [])
    }

    @Test("no file names a place of one particular machine")
    func noMachinePaths() throws {
        let files = try Repository().everything()
        #expect(files.flatMap { file in TextRules.machinePaths(in: file.text).map { "\(file):\($0)" } } == [])
    }

    @Test("everything that a comment or a page cites is in the repository")
    func noMissingSources() throws {
        let repository = Repository()
        let files = try repository.everything()
        let design = try #require(files.first { "\($0)" == "docs/design.md" })
        let headings = Set(CitedPage(design.text).sections.keys)
        try #require(headings.contains("invariants"))
        #expect(
            files.flatMap { file in
                TextRules.missingSources(in: file.text, headings: headings).map { "\(file):\($0)" }
            } == [])
    }

    @Test("a citation of something that is not in the repository is found")
    func missingSources() {
        for text in ["see DESIGN" + " §5", "(facts" + " §3)", "as issue" + " 7 says", "docs/design.md#" + "nothing"] {
            #expect(TextRules.missingSources(in: "fine\n\(text)", headings: ["issuing"]) == [2], "\(text)")
        }
        #expect(TextRules.missingSources(in: "docs/design.md#issuing, RFC 9110 §10", headings: ["issuing"]) == [])
    }

    @Test(
        "private key text is found however it is quoted",
        arguments: [
            "\(begin)\n\(otherData)\n-----END", "    \"\(begin)\\n\(otherData)\\n\"",
            "\"\(begin)\",\n    \"\(otherData)\",",
            "\(begin)\\n\(otherData)", "let key = \"\(data)\"", "\(begin)\n\n\(otherData)",
            begin.replacing("BEGIN ", with: "BEGIN EC ") + "\n" + otherData,
        ])
    func findsKeys(_ text: String) {
        #expect(TextRules.privateKeys(in: "first line\n\(text)").first == 2)
    }

    @Test(
        "words about keys are not keys",
        arguments: [
            begin, "\(begin)\nnot a key\n-----END", "\(begin)\n…", "BEGIN and " + "PRIVATE" + " KEY in a sentence",
            "-----BEGIN CERTIFICATE-----\n\(otherData)", otherData,
        ])
    func acceptsWords(_ text: String) {
        #expect(TextRules.privateKeys(in: text) == [])
    }

    @Test("a path of a machine is found, a relative or unrelated one is not")
    func machinePaths() {
        for place in ["work", "root", "tmp", "opt", "home", "Users"] {
            #expect(TextRules.machinePaths(in: "fine\nsee /\(place)/x") == [2])
            #expect(TextRules.machinePaths(in: "`/\(place)/x`") == [1])
            #expect(TextRules.machinePaths(in: "net\(place)/x, ../\(place)/x, a/\(place)/b, https://\(place)/x") == [])
        }
    }
}
