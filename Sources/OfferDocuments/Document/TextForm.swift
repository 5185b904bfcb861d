import OfferModel

struct TextForm {
    let noun: String
    let hint: String
    let accepts: @Sendable (String) -> Bool

    /// Names of offers and tags, and identifiers in a path of the HTTP API.
    static let name = TextForm(
        noun: "a name",
        hint: "use 1 to 64 of the letters a–z and A–Z, digits, `.`, `_` and `-`, a letter or digit first"
    ) { text in
        text.isMade(of: "._-", upTo: 64) && String(text.prefix(1)).isMade()
    }

    static let signalName = TextForm(
        noun: "the name of a signal", hint: "use 1 to 64 letters, digits and `_`, a letter first, without `signals.`"
    ) { FactVocabulary.isSignalName($0) }

    /// The place in an app that asks for an offer, as a request may state it.
    static let placement = TextForm(
        noun: "a placement", hint: name.hint, accepts: DeviceRequest.isPlacement)

    static let bundleId = TextForm(
        noun: "a bundle identifier", hint: "use letters, digits, `.` and `-`, as in `com.example.pro`"
    ) { text in
        text.isMade(of: ".-", upTo: 155) && String(text.prefix(1)).isMade()
    }

    /// The identifier of a subscription group: Apple's are numbers and Xcode's hexadecimal, but a StoreKit configuration
    /// file may have any.
    static let groupId = TextForm(
        noun: "a subscription group identifier", hint: "copy it from App Store Connect, such as `\"21500001\"`"
    ) { text in
        (1...64).contains(text.unicodeScalars.count) && text.unicodeScalars.allSatisfy { $0 == " " || isVisible($0) }
            && !text.hasPrefix(" ") && !text.hasSuffix(" ")
    }

    /// A product identifier. App Store Connect takes letters, digits, `.` and `_`; other visible ASCII is let through.
    static let productId = TextForm(
        noun: "a product identifier",
        hint: "copy it from App Store Connect; it has 1 to 255 ASCII characters and no spaces"
    ) { text in
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    static let promotionalOfferIdentifier = TextForm(
        noun: "an offer identifier", hint: "use 1 to 100 letters, digits, `.`, `_` and `-`"
    ) { $0.isMade(of: "._-", upTo: 100) }

    /// Apple's name of a win-back offer (App Store Connect API, `WinBackOffer`).
    static let winBackOfferIdentifier = TextForm(
        noun: "a win-back offer identifier", hint: "use 1 to 100 letters, digits, `.` and `_`"
    ) { $0.isMade(of: "._", upTo: 100) }

    static let keyId = TextForm(
        noun: "a key identifier", hint: "copy it from App Store Connect, such as `2X9R4HXF34`"
    ) { $0.isMade(of: "_-", upTo: 64) }

    /// Digits, as Apple's identifiers of transactions have; tests may use letters.
    static let transactionId = TextForm(
        noun: "a transaction identifier", hint: "use 1 to 64 digits or letters, in quotes"
    ) { $0.isMade(of: "_-", upTo: 64) }

    static let version = TextForm(
        noun: "a version", hint: "use numbers and dots in quotes, such as `\"4.10.1\"`"
    ) { DottedVersion($0) != nil }

    /// A language with perhaps a script and a region.
    static let locale = TextForm(
        noun: "a locale", hint: "write a language such as `de`, or one with its region such as `de-CH`"
    ) { LocaleTag($0) != nil && !$0.utf8.contains(UInt8(ascii: "@")) }

    static let storefront = TextForm(
        noun: "a storefront", hint: "write three capital letters, such as `USA`"
    ) { text in
        text.utf8.count == 3 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    }

    /// Free text that is shown or hashed.
    static func label(_ noun: String) -> TextForm {
        TextForm(noun: noun, hint: "use 1 to 64 visible characters") { text in
            (1...64).contains(text.unicodeScalars.count) && text.unicodeScalars.allSatisfy(isVisible)
        }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
            .unassigned:
            false
        default:
            true
        }
    }
}

extension String {
    /// Whether it has 1 to `most` bytes, each an ASCII letter, a digit or one of the others.
    package func isMade(of others: String = "", upTo most: Int = .max) -> Bool {
        (1...most).contains(utf8.count)
            && utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || others.utf8.contains(byte)
            }
    }
}
