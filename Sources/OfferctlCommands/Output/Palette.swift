/// Colours for a terminal, or none.
struct Palette: Sendable {
    /// What a piece of text is, so that nobody chooses colours by hand.
    enum Role: String, Sendable {
        case good = "32"
        case bad = "31"
        case unsure = "33"
        case quiet = "2"
        case heading = "1"
    }

    private let isColoured: Bool

    /// Text as it is.
    static let plain = Palette(isColoured: false)
    /// Text with ANSI escape sequences.
    static let ansi = Palette(isColoured: true)

    /// Colours only on a terminal that has them, and never with `NO_COLOR` (no-color.org: any value but an empty one).
    static func chosen(isTerminal: Bool, environment: [String: String]) -> Palette {
        let isUnwanted = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        return isTerminal && !isUnwanted && environment["TERM"] != "dumb" ? .ansi : .plain
    }

    func paint(_ text: String, _ role: Role) -> String {
        isColoured ? "\u{1B}[\(role.rawValue)m\(text)\u{1B}[0m" : text
    }
}
