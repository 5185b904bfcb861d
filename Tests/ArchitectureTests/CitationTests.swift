import Testing

@Suite("Sections that comments cite")
struct CitationTests {
    @Test("a section that a comment cites is there and has the comment's topic")
    func citations() throws {
        let repository = Repository()
        var pages: [String: CitedPage] = [:]
        var count = 0
        for file in try ["Sources", "Tests"].flatMap(repository.files(below:)) where file.path.hasSuffix(".swift") {
            guard file.path != "Tests/ArchitectureTests/CitationTests.swift" else { continue }
            for citation in Citation.all(in: file.text) {
                count += 1
                let page = pages[citation.page] ?? CitedPage(repository.file(citation.page)?.text ?? "")
                pages[citation.page] = page
                #expect(
                    page.fits(citation.comment, to: citation.anchor),
                    "\(file) cites \(citation.page)#\(citation.anchor): \(citation.comment)")
            }
        }
        #expect(count > 100, "the comments were not found")
    }

    @Test("a link from one page to a section of another leads to one")
    func links() throws {
        let repository = Repository()
        let pages =
            try repository.files(below: "docs").filter { $0.path.hasSuffix(".md") }
            + ["README.md", "CONTRIBUTING.md", "SECURITY.md"].compactMap(repository.file)
        let sections = Dictionary(uniqueKeysWithValues: pages.map { ($0.path, Set(CitedPage($0.text).sections.keys)) })
        for page in pages {
            for link in page.text.matches(of: /\]\(([A-Za-z0-9.\/_-]*)#([A-Za-z0-9_-]+)\)/) {
                let target = Self.path(String(link.output.1), from: page.path)
                guard let anchors = sections[target] else { continue }
                #expect(anchors.contains(String(link.output.2)), "\(page) links \(link.output.0)")
            }
        }
    }

    /// The path of a link's file from the repository's root.
    private static func path(_ link: String, from page: String) -> String {
        guard !link.isEmpty else { return page }
        var folders = page.split(separator: "/").dropLast()
        for part in link.split(separator: "/") {
            if part == ".." { folders.removeLast() } else if part != "." { folders.append(part) }
        }
        return folders.joined(separator: "/")
    }

    @Test("a section without the topic is found, and an anchor that no heading has")
    func finds() {
        let page = CitedPage(
            """
            # Page
            ## Fruit and `seeds`
            A customer buys apples.
            ### Pears
            They ripen at night.
            ## Metals
            A customer buys iron.
            """)
        #expect(page.sections.keys.sorted() == ["fruit-and-seeds", "metals", "page", "pears"])
        for comment in ["An apple", "It ripens", "the seed's shape", "fruitBowl"] {
            #expect(page.fits(comment, to: "fruit-and-seeds"), "\(comment)")
            #expect(!page.fits(comment, to: "metals"), "\(comment)")
            #expect(!page.fits(comment, to: "vegetables"), "\(comment)")
        }
        #expect(!page.fits("A customer buys", to: "fruit-and-seeds"))
        #expect(page.fits("It ripens", to: "pears"))
    }

    @Test("a comment is read whole, and one behind code alone")
    func comments() {
        let cited = Citation.all(
            in: """
                /// Apples
                /// (docs/a.md#fruit).
                let a = 1  // iron (docs/a.md#metals)
                // pears
                let b = "docs/a.md#none"
                """)
        #expect(cited.map(\.anchor) == ["fruit", "metals"])
        #expect(cited.map { $0.comment.contains("Apples") } == [true, false])
        #expect(cited.map { $0.comment.contains("pears") } == [false, false])
    }
}
