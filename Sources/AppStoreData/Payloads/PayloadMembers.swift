import FoundationEssentials
import OfferModel
import OfferSigning

/// What stands for absent members of a payload that nobody has signed.
struct PayloadDefaults: Sendable {
    /// The date of signing.
    var date: Instant?
    /// Texts by the names of their members.
    var texts: [String: String] = [:]
}

/// Reads the members of one payload object; every refusal names the member.
///
/// Unknown members are ignored and `null` counts as absent: Apple adds members over time.
struct PayloadMembers {
    let kind: PayloadKind
    /// What stands for members that are absent; a signed payload has none.
    var defaults = PayloadDefaults()
    private let source: Source
    private let path: String

    /// Where the members are read from.
    private enum Source {
        case decoder(KeyedDecodingContainer<MemberName>)
        case plain(PlainPayload)
    }

    init(_ container: KeyedDecodingContainer<MemberName>, kind: PayloadKind, path: String = "") {
        self.init(.decoder(container), kind: kind, path: path)
    }

    init(_ payload: PlainPayload, kind: PayloadKind) {
        self.init(.plain(payload), kind: kind, path: "")
    }

    private init(_ source: Source, kind: PayloadKind, path: String) {
        self.source = source
        self.kind = kind
        self.path = path
    }

    /// Text without control characters: Apple's has none, and a NUL ends a text where it is stored.
    func string(_ name: MemberName) throws(SignedDataRefusal) -> String? {
        let text = try value(name, "a string") { value -> String? in
            if case .text(let text) = value { text } else { nil }
        }
        guard let text = text ?? defaults.texts[name.stringValue] else { return nil }
        try requirePrintable(text, name)
        return text
    }

    /// An identifier: absent if it is empty, so that an empty one never joins two customers.
    func identifier<Kind>(_ name: MemberName) throws(SignedDataRefusal) -> Identifier<Kind>? {
        guard let text = try string(name), !text.isEmpty else { return nil }
        return Identifier(text)
    }

    func requiredIdentifier<Kind>(_ name: MemberName) throws(SignedDataRefusal) -> Identifier<Kind> {
        guard let identifier: Identifier<Kind> = try identifier(name) else { throw missing(name) }
        return identifier
    }

    func identifiers<Kind>(_ name: MemberName) throws(SignedDataRefusal) -> [Identifier<Kind>]? {
        try strings(name)?.map { Identifier($0) }
    }

    func strings(_ name: MemberName) throws(SignedDataRefusal) -> [String]? {
        let texts = try value(name, "an array of strings") { _ -> [String]? in nil }
        guard let texts else { return nil }
        for text in texts { try requirePrintable(text, name) }
        return texts
    }

    /// A word that is stored and shown, whatever it is: absent if it is empty, and of a length that no word of Apple's
    /// comes near.
    func label(_ name: MemberName) throws(SignedDataRefusal) -> String? {
        guard let text = try string(name), !text.isEmpty else { return nil }
        guard text.utf8.count <= Self.longestLabel else {
            throw malformed(
                name, "`\(path)\(name.stringValue)` has \(text.utf8.count) bytes, more than \(Self.longestLabel)")
        }
        return text
    }

    func requiredLabel(_ name: MemberName) throws(SignedDataRefusal) -> String {
        guard let label = try label(name) else { throw missing(name) }
        return label
    }

    private func requirePrintable(_ text: String, _ name: MemberName) throws(SignedDataRefusal) {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw malformed(name, "`\(path)\(name.stringValue)` holds a control character")
        }
    }

    /// A UUID; one that is none is dropped, because a wrong alias must not cost the customer the whole payload.
    func uuid(_ name: MemberName) throws(SignedDataRefusal) -> LowercaseUUID? {
        try string(name).flatMap { LowercaseUUID($0) }
    }

    func integer<Number: FixedWidthInteger & Decodable>(_ name: MemberName) throws(SignedDataRefusal) -> Number? {
        let number = try value(name, "a whole number") { value -> Number? in
            if case .integer(let integer) = value { Number(exactly: integer) } else { nil }
        }
        guard let number else { return nil }
        guard let whole = Int64(exactly: number), InputBounds.integers.contains(whole) else {
            throw malformed(name, "`\(path)\(name.stringValue)` is `\(number)`, beyond any count or amount")
        }
        return number
    }

    func bool(_ name: MemberName) throws(SignedDataRefusal) -> Bool? {
        try value(name, "true or false") { value -> Bool? in
            if case .boolean(let flag) = value { flag } else { nil }
        }
    }

    /// A value of a list that Apple extends: unknown ones are kept.
    func open<Value: RawRepresentable>(_ name: MemberName) throws(SignedDataRefusal) -> Value?
    where Value.RawValue == String {
        try string(name).flatMap { Value(rawValue: $0) }
    }

    /// A numbered value of a list that Apple extends: unknown ones are kept.
    func open<Value: RawRepresentable>(_ name: MemberName) throws(SignedDataRefusal) -> Value?
    where Value.RawValue == Int {
        let number: Int? = try integer(name)
        return number.flatMap { Value(rawValue: $0) }
    }

    /// A date between 1970 and the year 9999, in milliseconds; Xcode's fraction is rounded down.
    func date(_ name: MemberName) throws(SignedDataRefusal) -> Instant? {
        let instant = try value(name, "a number of milliseconds") { value -> Instant? in
            if case .integer(let integer) = value { Instant(milliseconds: integer) } else { nil }
        }
        guard let instant else { return nil }
        guard InputBounds.instants.contains(instant) else {
            throw malformed(name, "`\(path)\(name.stringValue)` is not a date: `\(instant)`")
        }
        return instant
    }

    func requiredDate(_ name: MemberName) throws(SignedDataRefusal) -> Instant {
        guard let date = try date(name) else { throw missing(name) }
        return date
    }

    /// The date the certificates are judged at.
    func signingDate() throws(SignedDataRefusal) -> Instant {
        let name = kind.dateMember
        guard let date = try date(name) ?? defaults.date else {
            throw SignedDataRefusal(
                .missingSignedDate, "\(kind.noun) has no `\(name.stringValue)`, so its certificates cannot be judged",
                member: name.stringValue)
        }
        return date
    }

    /// A nested object.
    ///
    /// - Parameter kind: the kind of payload it is itself; that which it is a part of, unless told otherwise.
    func object(_ name: MemberName, kind: PayloadKind? = nil) throws(SignedDataRefusal) -> PayloadMembers? {
        guard isPresent(name) else { return nil }
        let nested: Source? =
            switch source {
            case .decoder(let container):
                (try? container.nestedContainer(keyedBy: MemberName.self, forKey: name)).map(Source.decoder)
            case .plain(let payload):
                if case .object(let object) = payload[name.stringValue] { .plain(object) } else { nil }
            }
        guard let nested else { throw wrongType(name, "an object") }
        return PayloadMembers(nested, kind: kind ?? self.kind, path: "\(path)\(name.stringValue).")
    }

    /// Refuses a payload without a mark of its kind, with the kind it looks like: users mix them, and one that bears no
    /// mark at all must not displace a real one.
    func requireKind() throws(SignedDataRefusal) {
        guard let found = kind.found(in: isPresent) else {
            let marks = kind.marks.map { "`\($0.stringValue)`" }.joined(separator: " and no ")
            throw SignedDataRefusal(.malformedPayload, "\(kind.noun) has no \(marks)")
        }
        guard found == kind else {
            throw SignedDataRefusal(
                .malformedPayload, "this is \(found.noun), not \(kind.noun): \(found.destination)")
        }
    }

    private func isPresent(_ name: MemberName) -> Bool {
        switch source {
        case .decoder(let container):
            return container.contains(name) && (try? container.decodeNil(forKey: name)) == false
        case .plain(let payload):
            switch payload[name.stringValue] {
            case nil, .null: return false
            default: return true
            }
        }
    }

    /// - Parameter read: reads a value in the plain form; `nil` if it has another type.
    private func value<Value: Decodable>(
        _ name: MemberName, _ form: String, plain read: (PlainPayload.Value) -> Value?
    ) throws(SignedDataRefusal) -> Value? {
        switch source {
        case .decoder(let container):
            do {
                return try container.decodeIfPresent(Value.self, forKey: name)
            } catch {
                throw wrongType(name, form)
            }
        case .plain(let payload):
            switch payload[name.stringValue] {
            case nil, .null: return nil
            case .some(let found):
                guard let value = read(found) else { throw wrongType(name, form) }
                return value
            }
        }
    }

    private func missing(_ name: MemberName) -> SignedDataRefusal {
        malformed(name, "\(kind.noun) has no `\(path)\(name.stringValue)`")
    }

    private func wrongType(_ name: MemberName, _ form: String) -> SignedDataRefusal {
        malformed(name, "`\(path)\(name.stringValue)` is not \(form)")
    }

    private func malformed(_ name: MemberName, _ detail: String) -> SignedDataRefusal {
        SignedDataRefusal(.malformedPayload, detail, member: path + name.stringValue)
    }

    private static let longestLabel = 128
}
