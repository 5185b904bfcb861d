/// A text that comes from outside, is stored and may be shown: its name, and which texts it takes. Ids, tags and Apple's
/// names of offers in a catalog, names of attributes and an `appAccountToken` take letters, digits and a few signs alone.
enum StoredText: String, CaseIterable, Sendable {
    // What apps, backends and support state.
    case customerId, attribute, signal, voidReason, grantReason, pauseReason
    // The catalog and its revisions.
    case message, comment, operand, attributeOperand, salt, group, product
    // What Apple signs.
    case boughtProduct, appleOffer, currency, storefront, appTransaction, notification
    // Operators' and staff's.
    case app, label, person, webhook, reload

    /// It with an attack in it: a text of its own, to be found again.
    func text(_ attack: String) -> String { rawValue + attack }

    /// Whether the service takes the text there; otherwise it is refused before it is stored.
    func takes(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        let isPlain = !scalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
        let isVisible = scalars.allSatisfy { (0x20...0x7E).contains($0.value) }
        return switch self {
        case .customerId, .attribute, .signal, .voidReason, .grantReason: isPlain && scalars.count <= 255
        case .person: isPlain && scalars.count <= 64
        case .pauseReason: isPlain && scalars.count <= 500
        case .message: isPlain && scalars.count <= 1_000
        // A document's lines are those that all its readers count.
        case .comment: isPlain && !scalars.contains { $0 == "\u{2028}" || $0 == "\u{2029}" }
        // Written with escapes.
        case .operand, .attributeOperand: true
        case .salt: isVisible && scalars.count <= 64 && !scalars.contains(" ")
        case .group: isVisible && scalars.count <= 64 && text.last != " "
        case .product: isVisible && scalars.count <= 255 && !scalars.contains(" ")
        case .boughtProduct, .appleOffer, .currency, .storefront, .appTransaction: isPlain
        // These are checked by commands and by Apple's signature, and never hold what the database refuses.
        case .notification, .app, .label: isPlain
        case .webhook, .reload: true
        }
    }

    static let attacks = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'><img src=x onerror=alert(1)>",
        "\" autofocus onfocus=alert(1) x=\"", "' autofocus onfocus=alert(1) x='", "</title><script>alert(1)</script>",
        "</textarea><script>alert(1)</script>", "</style><script>alert(1)</script>",
        "<svg><a xlink:href=\"javascript:alert(1)\">x</a></svg>", "javascript:alert(1)",
        "\"\u{301}><img src=x>\u{600}<b>\u{600}'\u{301}<\u{338}i>", "a\u{2028}<b>\u{2029}c", "a\0<b>\0c",
        "\u{202E}<b>\u{202C}\u{2066}\"\u{2069}", "{{{formToken}}}{{#q}}{{/q}}{{>layout}}",
        "&lt;b&gt;&#60;b&#62;&amp&quot", "]]><!-- --!><?xml ?>", String(repeating: "<b>\"", count: 55),
        String(repeating: "<b>'", count: 300),
    ]
}
