import OfferAPI
import OfferModel

/// What every text of a request must keep to.
enum RequestRules {
    /// The most characters of an identifier.
    static let identifierLength = 255
    /// The most characters of the id of an order; Apple's have ten.
    static let orderIdLength = 64
    /// The most signals of a request.
    static let signalCount = 64
    /// The most attributes of a customer.
    static let attributeCount = 64
    /// The most offers that one inquiry may name.
    static let offerCount = 200
    /// The most characters of a message kept with a catalog revision.
    static let messageLength = 1_000

    /// The most payloads, and the most issued offers, of a supplied history.
    static let suppliedCount = 200
    /// The signings of a supplied issued offer.
    static let signings = 1...1_000

    /// What is wrong with a text: empty, too long, with control characters in it, or like one that was taken away.
    static func fault(inText text: String, maximum: Int) -> (code: RequestErrorCode, detail: String)? {
        guard !isPlain(text, maximum: maximum) else { return nil }
        let length = text.unicodeScalars.count
        guard (1...maximum).contains(length) else {
            return (.invalidLength, "a text of 1 to \(maximum) characters is needed, this one has \(length)")
        }
        guard !text.hasPrefix(Redacted.prefix) else {
            return (
                .invalidValue, "a text does not begin with `\(Redacted.prefix)`, which marks one that was removed"
            )
        }
        let isControl: (Unicode.Scalar) -> Bool = { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
        return text.unicodeScalars.contains(where: isControl)
            ? (.invalidValue, "control characters are not allowed") : nil
    }

    /// Whether a text is of printable ASCII, as identifiers nearly always are, and right: a look at its bytes says so.
    private static func isPlain(_ text: String, maximum: Int) -> Bool {
        (1...maximum).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            && !text.utf8.starts(with: Redacted.prefix.utf8)
    }
}
