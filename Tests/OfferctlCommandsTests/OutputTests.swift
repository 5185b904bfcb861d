import CommandLineSupport
import OfferModel
import Testing

@testable import OfferctlCommands

@Suite("pieces of the output")
struct OutputTests {
    @Test(
        "a moment is shown with its zone, seconds only where there are any",
        arguments: [
            ("2026-12-01T00:00:00Z", "2026-12-01 00:00 UTC"),
            ("2026-12-01T23:59:07Z", "2026-12-01 23:59:07 UTC"),
            ("2026-12-01T23:59:07.999Z", "2026-12-01 23:59:07 UTC"),
            ("2026-12-01T23:59:00.500Z", "2026-12-01 23:59 UTC"),
        ])
    func absolute(_ text: String, _ expected: String) throws {
        #expect(TimeText.absolute(try #require(Instant(iso8601: text))) == expected)
    }

    @Test(
        "a distance in time is rounded down and has a direction",
        arguments: [
            (0, "now"), (59_999, "in less than a minute"), (60_000, "in 1 minute"), (3_599_999, "in 59 minutes"),
            (3_600_000, "in 1 hour"), (172_799_999, "in 47 hours"), (172_800_000, "in 2 days"),
            (777_600_001, "in 9 days"), (-1, "less than a minute ago"), (-86_400_000, "24 hours ago"),
            (-1_036_800_000, "12 days ago"),
        ] as [(Int64, String)])
    func relative(_ distance: Int64, _ expected: String) {
        let now = Instant(milliseconds: 1_795_298_400_000)
        #expect(TimeText.relative(now.adding(milliseconds: distance), now: now) == expected)
    }

    @Test("colours need a terminal, and NO_COLOR or a dumb terminal forbids them")
    func colours() {
        func isColoured(_ isTerminal: Bool, _ environment: [String: String]) -> Bool {
            Palette.chosen(isTerminal: isTerminal, environment: environment).paint("x", .good) != "x"
        }
        #expect(isColoured(true, ["TERM": "xterm"]))
        #expect(isColoured(true, ["NO_COLOR": ""]))
        #expect(!isColoured(true, ["NO_COLOR": "1"]))
        #expect(!isColoured(true, ["TERM": "dumb"]))
        #expect(!isColoured(false, ["TERM": "xterm"]))
    }

    @Test("a failure is one line for the error and one for each hint, whatever is in the text")
    func failure() {
        let failure = CommandFailure(.failed, "bad `a\nerror: b`", hints: ["first", "second\u{1B}[0m"])
        #expect(
            failure.lines == ["error: bad `a\u{FFFD}error: b`", "hint: first", "hint: second\u{FFFD}[0m"])
    }
}
