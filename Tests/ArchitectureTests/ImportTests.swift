import Testing

@Suite("Layers")
struct ImportTests {
    private let repository = Repository()

    @Test("every folder of Sources is a target of docs/design.md#layers")
    func knownTargets() throws {
        #expect(ImportTable.design.unknownTargets(among: try repository.targets()) == [])
    }

    @Test("every import is one that docs/design.md#layers gives the target")
    func imports() throws {
        let sources = try repository.sources()
        try #require(sources.count > 10, "the sources were not found")
        #expect(sources.flatMap(ImportTable.design.violations) == [])
    }

    @Test("tests, too, import what only Linux has beside its counterpart")
    func testsOfOneSystem() throws {
        let files = try repository.files(below: "Tests")
        try #require(files.count > 10, "the tests were not found")
        let alone = files.filter { file in
            // Beside its counterpart it is indented.
            file.text.split(separator: "\n").contains { ["import Glibc", "import Darwin"].contains($0) }
        }
        #expect(alone.map(\.path) == [])
    }

    @Test("the table gives a target nothing that it does not import")
    func tableIsTight() throws {
        let imported = try repository.sources().reduce(into: [String: Set<String>]()) { imported, file in
            imported[file.target, default: []].formUnion(ImportTable.imports(of: file.text).map(\.module))
        }
        for (target, allowed) in ImportTable.design.allowed {
            guard let used = imported[target] else { continue }
            #expect(allowed.subtracting(used) == [], "\(target)")
        }
    }

    @Test("the table names only targets of its own, libraries and Foundation")
    func tableIsClosed() throws {
        let ours = Set(ImportTable.design.allowed.keys)
        try #require(ours.count > 15, "the table was not found")
        let outside: Set<String> = [
            "ArgumentParser", "AsyncHTTPClient", "CYaml", "Dispatch", "Foundation", "Hummingbird", "HummingbirdCore",
            "HTTPTypes", "Logging", "Metrics", "Mustache", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL",
            "ServiceLifecycle",
            "UnixSignals", "Yams", "libc", "libcrypto", "libsqlite3", "libz",
        ]
        for (target, imports) in ImportTable.design.allowed {
            #expect(imports.subtracting(ours).subtracting(outside) == [], "\(target)")
        }
        let withFoundation = ImportTable.design.allowed.filter { $0.value.contains("Foundation") }.keys.sorted()
        #expect(withFoundation == ["CommandLineSupport", "OfferctlCommands", "OfferdCommands"])
        func targets(importing system: String) -> [String] {
            ImportTable.design.allowed.filter { $0.value.contains(system) }.keys.sorted()
        }
        #expect(
            targets(importing: "Dispatch") == [
                "OfferApplication", "OfferStore", "OfferctlCommands", "PostgresStore", "SQLiteStore",
            ])
        #expect(targets(importing: "libc") == ["PostgresStore", "SQLiteStore"])
        #expect(ImportTable.design.allowed.filter { $0.value.contains("COpenSSL") }.keys.sorted() == ["OpenSSLCrypto"])
        #expect(ImportTable.design.allowed.filter { $0.value.contains("CSQLite") }.keys.sorted() == ["SQLiteStore"])
        #expect(targets(importing: "CPostgres") == ["PostgresStore"])
    }

    @Test(
        "a forbidden import is found however it is written",
        arguments: [
            "import Yams", "public import Yams", "@preconcurrency import Yams", "@preconcurrency package import Yams",
            "import struct Yams.Node", "internal import class Yams.Parser", "  import Yams", "import Yams.Sub",
            "@testable import Yams", "import Foundation", "public import Foundation", "import COpenSSL",
        ])
    func findsForbidden(_ line: String) {
        let file = SourceFile(path: "Sources/OfferModel/A.swift", text: "/// Text\n\(line)\nstruct A {}\n")
        #expect(ImportTable.design.violations(in: file).count == 1)
        #expect(ImportTable.design.violations(in: file).first?.hasPrefix("Sources/OfferModel/A.swift:2: ") == true)
    }

    @Test("permitted imports and mere words are not reported")
    func acceptsPermitted() {
        let text = """
            // import NIOCore
            public import Synchronization
            @preconcurrency public import struct OfferModel.Instant
            #if canImport(FoundationEssentials)
                public import FoundationEssentials
            #else
                public import Foundation
            #endif
            let important = "import NIOCore"
            """
        let file = SourceFile(path: "Sources/OfferDocuments/A.swift", text: text)
        #expect(ImportTable.design.violations(in: file) == [])
    }

    @Test(
        "what only Linux has is imported with what other systems have instead, and in no other way",
        arguments: [
            ("import Glibc", ["2: SQLiteStore may not import Glibc"]),
            ("import Darwin", ["2: SQLiteStore may not import Darwin"]),
            ("import FoundationEssentials", ["2: SQLiteStore may not import FoundationEssentials"]),
            (choice("Glibc", "Darwin"), []),
            (choice("FoundationEssentials", "Foundation"), []),
            ("#if canImport(Glibc)\n    import Glibc\n#endif", ["3: SQLiteStore may not import Glibc"]),
            (
                "#if os(Linux)\n    import Glibc\n#else\n    import Darwin\n#endif",
                [
                    "3: SQLiteStore may not import Glibc", "5: SQLiteStore may not import Darwin",
                ]
            ),
            (
                choice("Glibc", "Foundation"),
                [
                    "3: SQLiteStore may not import Glibc", "5: SQLiteStore may not import Foundation",
                ]
            ),
            (choice("Glibc", "Darwin") + "\nimport Darwin", ["7: SQLiteStore may not import Darwin"]),
        ])
    func findsOneSystem(_ text: String, _ violations: [String]) {
        let file = SourceFile(path: "Sources/SQLiteStore/A.swift", text: "/// Text\n\(text)\nstruct A {}\n")
        #expect(ImportTable.design.violations(in: file) == violations.map { "Sources/SQLiteStore/A.swift:\($0)" })
    }

    @Test("no more than the targets with `libc` in the table import it, on any system")
    func findsForbiddenChoice() {
        let file = SourceFile(path: "Sources/OfferModel/A.swift", text: Self.choice("Glibc", "Darwin"))
        #expect(
            ImportTable.design.violations(in: file) == ["Sources/OfferModel/A.swift:2: OfferModel may not import libc"])
    }

    private static func choice(_ linux: String, _ other: String) -> String {
        "#if canImport(\(linux))\n    import \(linux)\n#else\n    import \(other)\n#endif"
    }

    @Test("a folder that is no target is reported")
    func findsUnknownTarget() {
        #expect(ImportTable.design.unknownTargets(among: ["OfferModel", "OfferUtils"]) == ["OfferUtils"])
        let file = SourceFile(path: "Sources/OfferUtils/A.swift", text: "")
        #expect(ImportTable.design.violations(in: file) == ["Sources/OfferUtils/A.swift: unknown target `OfferUtils`"])
    }

    @Test("the table is read from its page: names in full or without Offer, several targets in a row")
    func page() {
        let table = ImportTable(
            page: """
                Text with `code`.
                | Target | Holds | Ours | Outside |
                | --- | --- | --- | --- |
                | `OfferModel` | values, `code` | – | – |
                | `COne`, `CTwo` | shims | – | libone |
                | `SQLiteStore` | the driver | Model, COne | libc |

                | `Other` | no row | Model | – |
                """)
        #expect(
            table.allowed == [
                "OfferModel": [], "COne": ["libone"], "CTwo": ["libone"],
                "SQLiteStore": ["OfferModel", "COne", "libc"],
            ])
    }
}
