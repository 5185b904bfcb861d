import OfferModel
import OfferTestSupport
import Testing

@Suite("Parts of a sentence")
struct TextPartTests {
    private static let instant = Instant(milliseconds: 1_796_083_200_000)

    private static let sentences: [(text: String, parts: [TextPart])] = [
        ("", []), ("plain", [.text("plain")]), ("`", [.text("`")]), ("``", [.quote("")]),
        ("2026-12-01T00:00:00Z", [.instant(instant)]), ("2026-12-01T00:00:00.000Z", [.instant(instant)]),
        ("2026-12-01 00:00 UTC", [.instant(instant)]), ("2026-12-01 00:00:00 UTC", [.instant(instant)]),
        (
            "from 2026-12-01T00:00:00Z, `a` on",
            [.text("from "), .instant(instant), .text(", "), .quote("a"), .text(" on")]
        ),
        ("`2026-12-01T00:00:00Z`", [.quote("2026-12-01T00:00:00Z")]),
        ("` 2026-12-01T00:00:00Z", [.text("` "), .instant(instant)]),
        ("`\u{301}a`\u{301}", [.quote("\u{301}a"), .text("\u{301}")]),
        ("12026-12-01T00:00:00Z1", [.text("1"), .instant(instant), .text("1")]),
        ("2026-12-01T00:00:00", [.text("2026-12-01T00:00:00")]), ("2026-12-01 00:00", [.text("2026-12-01 00:00")]),
        ("2026-12-01T00:00:00.Z", [.text("2026-12-01T00:00:00.Z")]),
        ("2026-12-01T00:00Z", [.text("2026-12-01T00:00Z")]), ("2026-12-01 00:00 CET", [.text("2026-12-01 00:00 CET")]),
        ("2026-02-30T00:00:00Z", [.text("2026-02-30T00:00:00Z")]),
        ("2026-12-01T24:00:00Z", [.text("2026-12-01T24:00:00Z")]),
        ("٢٠٢٦-12-01T00:00:00Z", [.text("٢٠٢٦-12-01T00:00:00Z")]),
    ]

    @Test("quotes and instants are found, and what is not quite one is text", arguments: sentences)
    func parts(text: String, parts: [TextPart]) {
        #expect(TextPart.all(in: text) == parts)
    }

    @Test("a sentence has its instants as people read them, and its quotes as they are")
    func readable() {
        let text = "until 2026-12-01T00:00:07.5Z, `2026-12-01T00:00:00Z` ` 2026-12-01 00:00 UTC"
        #expect(
            TimeText.readable(text) == "until 2026-12-01 00:00:07 UTC, `2026-12-01T00:00:00Z` ` 2026-12-01 00:00 UTC")
    }

    /// By splitting at backticks, and regular expressions between them.
    private static func plainly(_ sentence: String) -> [TextPart] {
        let tick = UInt8(ascii: "`")
        var pieces = sentence.utf8.split(separator: tick, omittingEmptySubsequences: false).map {
            String(decoding: Array($0), as: UTF8.self)
        }
        if pieces.count.isMultiple(of: 2) {
            let last = pieces.removeLast()
            pieces[pieces.count - 1] += "`" + last
        }
        var parts: [TextPart] = []
        func add(_ text: some StringProtocol) {
            guard !text.isEmpty else { return }
            guard case .text(let before)? = parts.last else { return parts.append(.text(String(text))) }
            parts[parts.count - 1] = .text(before + text)
        }
        let form = /(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d(?:\.\d+)?)Z| (\d\d:\d\d)(:\d\d)? UTC)/
            .asciiOnlyDigits().matchingSemantics(.unicodeScalar)
        for (place, piece) in pieces.enumerated() {
            guard place.isMultiple(of: 2) else {
                parts.append(.quote(piece))
                continue
            }
            var start = piece.startIndex
            for match in piece.matches(of: form) {
                let (_, day, clock, minutes, seconds) = match.output
                let time = clock.map(String.init) ?? "\(minutes ?? "")\(seconds ?? ":00")"
                guard let instant = Instant(iso8601: "\(day)T\(time)Z") else { continue }
                add(Substring(piece.unicodeScalars[start..<match.range.lowerBound]))
                parts.append(.instant(instant))
                start = match.range.upperBound
            }
            add(Substring(piece.unicodeScalars[start...]))
        }
        return parts
    }

    private static let pieces = [
        "`", "`", "2026-12-01T00:00:00Z", "2026-12-01 00:00 UTC", "2026-12-01 23:59:07 UTC", "2026-12-01T00:00:00.123Z",
        "2026-12-01T00:00:00.Z", "2026-99-01T00:00:00Z", "2026-12-01T", "2026-12-01", "00:00:00", " 00:00", "Z", " UTC",
        "\u{301}", "\u{600}", "\u{200D}", "1", "٣", "é", "🙂", "<b>", " ", "-", ".", "\0",
    ]

    @Test("random sentences have the parts that a plain reading finds, and lose nothing", arguments: [1, 2, 3, 4])
    func random(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            let count = Int.random(in: 0...12, using: &generator)
            let text = (0..<count).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }.joined()
            let parts = TextPart.all(in: text)
            #expect(parts == Self.plainly(text), "\(text.debugDescription)")
        }
    }
}
