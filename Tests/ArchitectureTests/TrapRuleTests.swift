import Testing

@Suite("Operations that end the process")
struct TrapRuleTests {
    @Test("no source file has one beyond the allow-list, and the allow-list has no entry too many (invariant 10)")
    func sources() throws {
        let sources = try Repository().sources()
        try #require(sources.count > 10, "the sources were not found")
        #expect(TrapRules.violations(in: sources) == [])
        #expect(TrapRules.allowed.allSatisfy { !$0.reason.isEmpty && $0.count > 0 })
    }

    @Test(
        "each such operation is found",
        arguments: [
            "let a = b!", "let a = b[0]!.c", "f(a()!)", "let a: Int! = nil", "let a = try! load()", "let a = b as! C",
            "let a = \"\\(b!)\"", "let a = \"\"\"\n    \\(b!)\n    \"\"\"", "fatalError(\"no\")",
            "precondition(a, \"b\")", "preconditionFailure()", "assert(a)", "{ [unowned self] in a() }",
            "unowned(unsafe) let a: B", "let a = b.unsafelyUnwrapped", "Dictionary(uniqueKeysWithValues: a)",
            "let a = abs(b)", "Int((a / b).rounded())", "Int64(Double(a) * 1.5)",
            "Int64(Date().timeIntervalSince1970 * 1_000)", "Int32(a.count)", "UInt8(a)", "UInt64(position)", "CInt(a)",
            "[UInt8(a)]", "String(repeating: \" \", count: width - text.count)",
        ])
    func finds(_ code: String) {
        let file = SourceFile(path: "Sources/OfferModel/A.swift", text: "let before = 1\n\(code)\n")
        let violations = TrapRules.violations(in: [file], allowed: [])
        #expect(violations.count == 1, "\(violations)")
        #expect(violations.first?.hasPrefix("Sources/OfferModel/A.swift:") == true)
    }

    @Test(
        "what only looks like one is accepted",
        arguments: [
            "a != b", "if !a {}", "// b!", "let a = \"b!\"", "let a = \"\\(b) c!\"", "a.precondition()",
            "Int(saturating: a.rounded())", "Int64(exactly: a.rounded(.down))", "Int32(clamping: a)",
            "UInt8(ascii: \"a\")", "UInt8(truncatingIfNeeded: a)", "Int32(5)", "UInt8()", "Int16(F_WRLCK)", "Int(text)",
            "[UInt8](repeating: 0, count: 4)", "UInt64.random(in: a)", "String(repeating: \"0\", count: max(0, 4 - a))",
        ])
    func accepts(_ code: String) {
        let file = SourceFile(path: "Sources/OfferModel/A.swift", text: code)
        #expect(TrapRules.violations(in: [file], allowed: []) == [])
    }

    @Test("an allowance holds for its count in its file, and one that is not used is found")
    func allowances() {
        let allowed = [TrapRules.Allowance(path: "Sources/A/A.swift", form: "!", count: 1, reason: "a literal")]
        func violations(_ text: String, path: String = "Sources/A/A.swift") -> Int {
            TrapRules.violations(in: [SourceFile(path: path, text: text)], allowed: allowed).count
        }
        #expect(violations("a!") == 0)
        #expect(violations("a!\nb!") == 2)
        #expect(violations("a") == 1)
        #expect(violations("a!", path: "Sources/A/B.swift") == 2)
    }
}
