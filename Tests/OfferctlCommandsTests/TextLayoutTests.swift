import CommandLineSupport
import Testing

@Suite("text in the width of a terminal")
struct TextLayoutTests {
    private static let id = "6fb1f41f-ffb7-465d-973b-060888d321bf"
    private let table = TextTable(
        ["ISSUED OFFER", "OFFER", "ENDS", "STATE"],
        rows: [[id, "comeback-half-price", nil, "open"], [id, "welcome-week", nil, "redeemed"]])

    private func lines(_ width: Int?) -> String {
        table.lines(Palette.plain.fitting(width)).joined(separator: "\n")
    }

    @Test("a table that fits, or whose reader has no width, is as it is")
    func whole() {
        let whole = """
            ISSUED OFFER                          OFFER                ENDS  STATE
            6fb1f41f-ffb7-465d-973b-060888d321bf  comeback-half-price  –     open
            6fb1f41f-ffb7-465d-973b-060888d321bf  welcome-week         –     redeemed
            """
        #expect(lines(nil) == whole)
        #expect(lines(73) == whole)
    }

    @Test("columns without a value go first")
    func dropped() {
        let narrow = """
            ISSUED OFFER                          OFFER                STATE
            6fb1f41f-ffb7-465d-973b-060888d321bf  comeback-half-price  open
            6fb1f41f-ffb7-465d-973b-060888d321bf  welcome-week         redeemed
            """
        #expect(lines(72) == narrow)
        #expect(lines(67) == narrow)
    }

    @Test("then cells are put below each other, and an id is never broken")
    func stacked() {
        for width in [66, 20] {
            #expect(
                lines(width) == """
                    ISSUED OFFER  6fb1f41f-ffb7-465d-973b-060888d321bf
                    OFFER         comeback-half-price
                    STATE         open

                    ISSUED OFFER  6fb1f41f-ffb7-465d-973b-060888d321bf
                    OFFER         welcome-week
                    STATE         redeemed
                    """)
        }
    }

    @Test("a long value goes on below where it began, broken at spaces")
    func values() {
        var fields = FieldList()
        fields.add(
            "for", "customers whose subscription has lapsed, where `subscription.daysSinceExpired` is at least 30")
        fields.add("tags", "spring")
        #expect(
            fields.lines(Palette.plain.fitting(40), indent: 2).joined(separator: "\n") == """
                  for   customers whose subscription has
                        lapsed, where
                        `subscription.daysSinceExpired`
                        is at least 30
                  tags  spring
                """)
        #expect(fields.lines(.plain).count == 2)
    }

    @Test(
        "a text takes the columns that a terminal gives it",
        arguments: [
            ("müller", 6), ("日本", 4), ("한국어", 6), ("e\u{301}", 1), ("😀", 2), ("👩‍👩‍👧", 2), ("✗ ±–…", 5),
            ("\u{1B}[31mno\u{1B}[0m", 2), ("", 0),
        ])
    func columns(_ text: String, _ columns: Int) {
        #expect(text.columns == columns)
    }

    @Test("cells of East Asian text are aligned")
    func wideCells() {
        let table = TextTable(["NAME", "STATE"], rows: [["日本-7", "open"], ["müller", "redeemed"]])
        #expect(
            table.lines(.plain) == [
                "NAME    STATE",
                "日本-7  open",
                "müller  redeemed",
            ])
    }

    @Test("a line goes on below its first word, and below the text behind a mark")
    func hanging() {
        let text = """
            comeback: not eligible
              ✗ the subscription ended on 2026-11-20  [subscription.daysSinceExpired]
            short
            """
        #expect(
            Palette.plain.fitting(30).wrap(text) == """
                comeback: not eligible
                  ✗ the subscription ended on
                    2026-11-20
                    [subscription.daysSinceExpired]
                short
                """)
        #expect(Palette.plain.wrap(text) == text)
    }

    @Test("colours do not change where a line ends")
    func colouredLines() {
        let words = "the offer is not eligible because the subscription ended"
        let coloured = Palette.ansi.fitting(20).wrap(Palette.ansi.paint(words, .bad))
        #expect(coloured.replacing(#/\x1B\[[0-9;]*m/#, with: "") == Palette.plain.fitting(20).wrap(words))
    }

    @Test("a Japanese sentence is broken between its characters, an id in Japanese is not")
    func japanese() {
        let sentence = "このオファーはすでに利用されています。"
        #expect(sentence.wrapped(to: 20) == ["このオファーはすでに", "利用されています。"])
        let id = "日本日本日本日本日本日本"
        #expect(id.wrapped(to: 20) == [id])
    }
}
