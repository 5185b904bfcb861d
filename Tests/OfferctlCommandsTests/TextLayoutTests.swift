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
}
