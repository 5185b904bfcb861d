import Foundation
import Testing

@testable import OfferConsole

@Suite("How templates escape")
struct ScriptInjectionTests {
    @Test("every byte that is markup is escaped, whatever character it is part of, and HTML has no NUL")
    func escape() {
        #expect(PageText().escapeText("\u{0600}<a>\"\u{0301}'&") == "\u{0600}&lt;a&gt;&quot;\u{0301}&#39;&amp;")
        #expect(PageText().escapeText("a\0b") == "a\u{FFFD}b")
    }

    @Test("every template is read")
    func templates() throws {
        _ = try Templates.library.get()
    }

    @Test("markup is taken as it is of drawings alone")
    func unescaped() throws {
        let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder = root.appending(path: "Sources/OfferConsole/Templates")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count > 20)
        let raw = try files.filter { file in
            let text = try String(contentsOf: file, encoding: .utf8)
            return text.contains("{{{") || text.contains("{{&") || text.contains("CONTENT_TYPE")
        }
        #expect(raw.map(\.lastPathComponent) == ["picture.mustache"])
    }
}
