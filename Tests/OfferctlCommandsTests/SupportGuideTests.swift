import Foundation
import Testing

@Suite("docs/support.md")
struct SupportGuideTests {
    @Test("every example is the golden file it names, so the guide shows what the program prints")
    func examples() throws {
        let root = URL(filePath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let guide = try String(contentsOf: root.appending(path: "docs/support.md"), encoding: .utf8)
        let examples = guide.matches(of: #/<!-- golden: (?<name>\S+) -->\n```text\n(?<text>(?:.*\n)+?)```/#)
        #expect(examples.count == 6)
        for example in examples {
            #expect(try String(example.output.text) == Fixture.text(String(example.output.name)))
        }
    }
}
