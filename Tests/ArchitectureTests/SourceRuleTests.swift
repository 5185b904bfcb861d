import Testing

@Suite("Sources")
struct SourceRuleTests {
    @Test("no source file breaks a rule: size, ways to end the process, printing, @main")
    func sources() throws {
        let sources = try Repository().sources()
        try #require(sources.count > 10, "the sources were not found")
        #expect(sources.flatMap(SourceRules.violations) == [])
    }

    @Test(
        "each forbidden use is found",
        arguments: [
            "let a = try! load()", "fatalError(\"no\")", "default: fatalError()", "print(a)", "debugPrint(a)",
            "dump(a)",
            "precondition(a > 0)", "preconditionFailure()", "precondition(\n    a > 0 && (b)\n)", "@main struct A {}",
            "if x { print(\"// not a comment\") }", "let a = \"\"; print(a)",
        ])
    func finds(_ code: String) {
        let file = SourceFile(path: "Sources/OfferModel/A.swift", text: "let before = 1\n\(code)\n")
        let violations = SourceRules.violations(in: file)
        #expect(violations.count == 1, "\(violations)")
        #expect(violations.first?.hasPrefix("Sources/OfferModel/A.swift:2: ") == true)
    }

    @Test(
        "what only looks like it is accepted",
        arguments: [
            "// print(a), try! and fatalError(", "/// fatalError(", "let a = \"print(\"", "let a = \"\\\"print(\"",
            "output.print(a)", "func print(_ text: String) {}", "fingerprint(a)", "try load()",
            "precondition(a > 0, \"a count is positive\")", "precondition(\n    f(a),\n    \"a reason\")",
            "preconditionFailure(\"unreachable: \\(a)\")", "let a = \"\"\"\n    print(a)\n    \"\"\"",
        ])
    func accepts(_ code: String) {
        let file = SourceFile(path: "Sources/OfferModel/A.swift", text: code)
        #expect(SourceRules.violations(in: file) == [])
    }

    @Test("commands may print, programs may begin, and neither may do the other")
    func placesOfPrinting() {
        func violations(_ target: String, _ text: String) -> Int {
            SourceRules.violations(in: SourceFile(path: "Sources/\(target)/A.swift", text: text)).count
        }
        #expect(violations("OfferctlCommands", "print(a)") == 0)
        #expect(violations("offerd", "@main struct A {}") == 0)
        #expect(violations("offerd", "print(a)") == 1)
        #expect(violations("OfferdCommands", "@main struct A {}") == 1)
        #expect(violations("OfferdCommands", "fatalError(\"no\")") == 1)
        let main = SourceFile(path: "Sources/OfferdCommands/main.swift", text: "")
        #expect(SourceRules.violations(in: main).count == 1)
    }

    @Test("a file of 401 lines is too long, one of 400 is not")
    func size() {
        func violations(_ lines: Int) -> Int {
            let text = Array(repeating: "let a = 1", count: lines).joined(separator: "\n")
            return SourceRules.violations(in: SourceFile(path: "Sources/OfferModel/A.swift", text: text)).count
        }
        #expect(violations(400) == 0)
        #expect(violations(401) == 1)
    }
}
