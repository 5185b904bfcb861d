import Testing

@Suite("Names of types")
struct NameTests {
    /// Names that two modules declare today. One name, one concept: delete an entry when its name has become unique.
    private static let known: Set<String> = ["FactReader", "OfferContext"]

    @Test("no two modules declare the same type name")
    func unique() throws {
        let sources = try Repository().sources()
        try #require(sources.count > 10, "the sources were not found")
        #expect(TypeNames.shared(in: sources).filter { !Self.known.contains($0.key) } == [:])
    }

    @Test("a name is found whatever surrounds its declaration, and only at the top of a file of a library")
    func finds() {
        func shared(_ code: String, target: String = "B") -> [String: [String]] {
            TypeNames.shared(in: [
                SourceFile(path: "Sources/A/A.swift", text: "package final class Name {}"),
                SourceFile(path: "Sources/\(target)/B.swift", text: "import A\n\(code)\n"),
            ])
        }
        for code in [
            "struct Name {}", "public enum Name: Int {", "indirect enum Name {", "@frozen public struct Name<T> {}",
            "typealias Name = Int", "package protocol Name: Sendable {", "@Test(\"x\") struct Name {}",
        ] {
            #expect(shared(code) == ["Name": ["A", "B"]], "\(code)")
        }
        for code in [
            "private struct Name {}", "fileprivate enum Name {}", "struct Names {}", "enum B { struct Name {} }",
            "    struct Name {}", "extension Name {}", "// struct Name {}", "let a = \"struct Name\"",
        ] {
            #expect(shared(code) == [:], "\(code)")
        }
        #expect(shared("struct Name {}", target: "A") == [:])
        #expect(shared("struct Name {}", target: "offerd") == [:])
    }
}

/// The types that modules declare.
enum TypeNames {
    /// The names that several modules declare, with those modules. Nested and private types are local matters, and so
    /// are those of the two programs, which nothing imports.
    static func shared(in files: [SourceFile]) -> [String: [String]] {
        let pattern = /^(?:@\S+ )*((?:\w+ )*?)(?:struct|class|enum|actor|protocol|typealias) (\w+)/
        var modules: [String: Set<String>] = [:]
        for file in files where !SourceRules.programs.contains(file.target) {
            for line in SwiftCode(file.text).lines where line.first.map({ $0.isLetter || $0 == "@" }) == true {
                guard let match = line.firstMatch(of: pattern), !match.output.1.contains("private") else { continue }
                modules[String(match.output.2), default: []].insert(file.target)
            }
        }
        return modules.filter { $0.value.count > 1 }.mapValues { $0.sorted() }
    }
}
