import Foundation
import Testing

@Suite("docs/support.md")
struct SupportGuideTests {
    @Test(
        "it shows five dry-runs or more with their answers, of every outcome; that they are true is tested on a server")
    func dryRuns() throws {
        let root = URL(filePath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let guide = try String(contentsOf: root.appending(path: "docs/support.md"), encoding: .utf8)
        let blocks = guide.matches(of: #/```console\n(?<text>(?:.*\n)*?)```/#).map { $0.output.text }
            .filter { $0.contains("offerctl dry-run ") }
        let outcomes = blocks.compactMap { $0.firstMatch(of: #/\n[a-z-]+: (eligible|not eligible|undetermined)/#)?.1 }
        #expect(outcomes.count >= 5)
        #expect(Set(outcomes) == ["eligible", "not eligible", "undetermined"])
    }
}
