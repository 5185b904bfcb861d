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
        case "words": Prose(text: text.reduce(into: "") { $0 += $1.isUppercase ? " \($1.lowercased())" : "\($1)" })
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
        TextPart.all(in: text).map { part in
            switch part {
            case .text(let text): PageText().escapeText(text)
            case .quote(let text): "<code>\(PageText().escapeText(text))</code>"
            case .instant(let instant): "<time datetime=\"\(instant)\">\(TimeText.absolute(instant))</time>"
            }
        }.joined()
    }
}
