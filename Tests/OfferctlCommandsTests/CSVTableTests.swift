import Testing

@testable import OfferctlCommands

@Suite("comma-separated values")
struct CSVTableTests {
    private func text(_ cells: [CSVTable.Cell]) -> String {
        CSVTable.line(cells)
    }

    @Test("cells are quoted where they must be, by another reader's judgement")
    func quoting() throws {
        let texts = ["plain", "a,b", "say \"hi\"", "two\nlines", "cr\r\nlf", "", "ünï,cödé", " blanks "]
        #expect(try CSVReading.rows(Array(text(texts.map(CSVTable.Cell.text)).utf8)) == [texts])
    }

    @Test("every line ends with CR LF, and a missing value is nothing at all")
    func lines() {
        #expect(text([.text("a"), .empty, .number("1.50")]) == "a,,1.50\r\n")
    }

    @Test(
        "a text that a spreadsheet would run is told to be a text; a number keeps its sign",
        arguments: ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "=cmd|' /C calc'!A0"])
    func formulas(_ dangerous: String) {
        let written = text([.text(dangerous)])
        #expect(written.hasPrefix("'") || written.hasPrefix("\"'"), "\(written)")
        #expect(text([.number("-0.05")]) == "-0.05\r\n")
        #expect(text([.number("=1+1")]) == "'=1+1\r\n", "only digits pass as a number")
    }
}
