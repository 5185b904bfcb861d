import Mustache
import OfferModel

/// A text of a page. A template shows it as it is with `{{text}}`, and as prose with `{{{prose(text)}}}`: what a sentence
/// quotes as code, and its instants as times that the viewer's browser can tell in their own zone. `{{words(text)}}` is a
/// name such as `boughtAtFullPrice` as words.
struct Prose: MustacheCustomRenderable, MustacheTransformable {
    let text: String

    var renderText: String { text }
    var isNull: Bool { false }

    func transform(_ name: String) -> Any? {
        switch name {
        case "prose": Prose(text: html)
        case "words": Prose(text: text.replacing(/[A-Z]/) { " \($0.output.lowercased())" })
        default: nil
        }
    }

    /// Every text in what a template takes.
    static func all(in content: Any) -> Any {
        switch content {
        case let text as String: Prose(text: text)
        case let members as [String: Any]: members.mapValues { all(in: $0) }
        case let values as [Any]: values.map { all(in: $0) }
        default: content
        }
    }

    /// Escaped, but for the tags that are added here.
    private var html: String {
        let tick = UInt8(ascii: "`")
        var parts = text.utf8.split(separator: tick, omittingEmptySubsequences: false).map {
            String(decoding: Array($0), as: UTF8.self)
        }
        // One without its counterpart is only a character.
        if parts.count.isMultiple(of: 2) {
            let last = parts.removeLast()
            parts[parts.count - 1] += "`" + last
        }
        return parts.enumerated().map { place, part in
            let escaped = PageText().escapeText(part)
            return place.isMultiple(of: 2) ? Self.withTimes(escaped) : "<code>\(escaped)</code>"
        }.joined()
    }

    private static func withTimes(_ sentence: String) -> String {
        sentence.replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/) { match in
            guard let instant = Instant(iso8601: String(match.output)) else { return String(match.output) }
            return "<time datetime=\"\(instant)\">\(PageMembers.minute(instant))</time>"
        }
    }
}
