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
}
