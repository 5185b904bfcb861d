import Testing

@Suite("Members that pages and comments name")
struct NamedMemberTests {
    /// Types of Swift and of Apple's, and members of Apple's types that have the name of one of ours.
    private static let foreign: Set<String> = [
        "AppTransaction.shared", "DecodingError.dataCorrupted", "Mutex.withLock",
        "Product.SubscriptionOffer.Signature", "PurchaseParams.Builder", "RenewalInfo.eligibleWinBackOfferIDs",
        "SKPaymentQueue.default", "SKPaymentTransaction.transactionIdentifier", "Transaction.all",
        "Transaction.updates",
    ]

    private static func missing(_ paths: [[Substring]], _ code: DeclaredMembers) -> [String] {
        paths.filter { !code.declare($0) }.map { $0.joined(separator: ".") }.filter { !foreign.contains($0) }
    }

    /// The pages that describe the code as it is; decision records and the changelog describe it as it was.
    private static func pages(_ repository: Repository) throws -> [SourceFile] {
        try repository.files(below: "docs").filter { !$0.path.hasPrefix("docs/decisions/") }
            + ["README.md", "CONTRIBUTING.md", "SECURITY.md"].compactMap(repository.file)
    }

    @Test("a member that a page or a comment names is declared by the type that it names")
    func members() throws {
        let repository = Repository()
        let swift = try ["Sources", "Tests"].flatMap(repository.files(below:)).filter { $0.path.hasSuffix(".swift") }
        let code = try DeclaredMembers.ofThisRepository.get()
        var count = 0
        var missing: [String] = []
        for page in try Self.pages(repository) {
            let paths = NamedMembers.paths(
                in: page.text, inTables: ["docs/design.md", "docs/bounds.md"].contains(page.path))
            count += paths.count
            missing += Self.missing(paths, code).map { "\(page): \($0)" }
        }
        #expect(count > 100, "the pages were not found")
        for file in swift where !file.path.hasPrefix("Tests/ArchitectureTests/") {
            let paths = NamedMembers.paths(in: NamedMembers.comments(of: file.text))
            missing += Self.missing(paths, code).map { "\(file): \($0)" }
        }
        #expect(missing == [])
    }

    @Test("a member belongs to its own type, however the code declares it")
    func declared() {
        let code = DeclaredMembers([
            SourceFile(
                path: "A.swift",
                text: """
                    public struct First<T>: Sendable {
                        static let one: Int, two: Int
                        private var three: Int { inner }
                        enum Nested: String {
                            case four, five(six: Int)
                            case seven,
                                eight
                        }
                        @Test("a struct Other") func nine(ten: Int) {
                            let local = 1
                        }
                        init() {}
                    }

                    extension First.Nested {
                        func eleven() {}
                    }

                    enum Short { case twelve }
                    func thirteen() {}
                    """)
        ])
        let paths = [
            "First.one", "First.two", "First.three", "First.Nested", "First.Nested.four", "Nested.five", "Nested.seven",
            "Nested.eight", "First.nine", "First.init", "Nested.eleven", "Short.twelve", "Short",
        ]
        for path in paths { #expect(code.declare(path.split(separator: ".")), "\(path)") }
        let others = [
            "First.four", "Nested.one", "Nested.six", "First.ten", "First.local", "First.thirteen", "Other", "first",
            "Nested.Nested", "First.T", "First.inner", "Short.twelve.one",
        ]
        for path in others { #expect(!code.declare(path.split(separator: ".")), "\(path)") }
    }

    @Test("text in backticks is read as a type and its members")
    func named() {
        let sentence = "See `A.b`, ``C/d(_:)`` and `E.F.g`; `h.i`, `Package.swift` and `A` name none."
        let text = sentence + "\n| `K.l`, `.m`; `.n` |"
        let paths = ["C.d", "A.b", "E.F.g", "K.l"]
        #expect(NamedMembers.paths(in: text).map { $0.joined(separator: ".") } == paths)
        #expect(
            NamedMembers.paths(in: text, inTables: true).map { $0.joined(separator: ".") } == paths + ["K.m", "K.n"])
    }
}
