public import JSON
public import OfferModel

extension String: WireValue {
    public static var form: WireForm { .text }
    public static func read(_ json: inout WireReader) throws(Misreading) -> String { try json.text() }
}

extension Bool: WireValue {
    public static var form: WireForm { .boolean }
    public static func read(_ json: inout WireReader) throws(Misreading) -> Bool { try json.boolean() }
}

extension Int64: WireValue {
    public static var form: WireForm { .integer }
    public static func read(_ json: inout WireReader) throws(Misreading) -> Int64 { try json.integer() }
}

extension Int: WireValue {
    public static var form: WireForm { .integer }
    public static func read(_ json: inout WireReader) throws(Misreading) -> Int { Int(try json.integer()) }
}

extension Double: JSONWritable, WireValue {
    public static var form: WireForm { .number }

    public static func read(_ json: inout WireReader) throws(Misreading) -> Double {
        switch try json.number() {
        case .whole(let whole): return Double(whole)
        case .other(let number) where number.isFinite: return number
        case .other: throw .hugeNumber
        }
    }

    public func write(to json: inout JSONWriter) throws { try json.number(self) }
}

extension Array: WireValue where Element: WireValue {
    public static var form: WireForm { .list(of: Element.self) }

    public static func read(_ json: inout WireReader) throws(Misreading) -> [Element] {
        var elements: [Element] = []
        try json.list { json throws(Misreading) in elements.append(try Element.read(&json)) }
        return elements
    }
}

extension Identifier: WireValue {
    public static var form: WireForm { .text }
    public static func read(_ json: inout WireReader) throws(Misreading) -> Identifier { Identifier(try json.text()) }
}

extension LowercaseUUID: WireValue {
    /// Before it is read.
    static let blank = LowercaseUUID(version4From: [UInt8](repeating: 0, count: 16))

    public static var form: WireForm { .text }

    public static func read(_ json: inout WireReader) throws(Misreading) -> LowercaseUUID {
        let text = try json.text()
        guard let uuid = LowercaseUUID(text) else {
            throw Misreading(.invalidValue, "`\(text.shortened)` is not a UUID")
        }
        return uuid
    }
}

extension Instant: WireValue {
    /// Before it is read.
    static let blank = Instant(milliseconds: 0)

    public static var form: WireForm { .integer }

    /// Reads milliseconds; a fraction, as Xcode writes it, is rounded down.
    public static func read(_ json: inout WireReader) throws(Misreading) -> Instant {
        switch try json.number() {
        case .whole(let whole): return Instant(milliseconds: whole)
        case .other(let number) where !number.isFinite: throw .noWholeNumber
        case .other(let number):
            guard let whole = Int64(exactly: number.rounded(.down)) else {
                throw Misreading(.invalidValue, "`\(number)` is not a time in ms")
            }
            return Instant(milliseconds: whole)
        }
    }
}

extension Period: JSONWritable, WireValue {
    /// Before it is read.
    static let blank = Period()

    public static var form: WireForm { .text }

    public static func read(_ json: inout WireReader) throws(Misreading) -> Period {
        let text = try json.text()
        guard let period = Period(text) else {
            throw Misreading(.invalidValue, "`\(text.shortened)` is not a period")
        }
        return period
    }

    public func write(to json: inout JSONWriter) { json.text(description) }
}

extension FactValue: WireValue {
    public static var form: WireForm { .schema("FactValue") }

    public static func read(_ json: inout WireReader) throws(Misreading) -> FactValue {
        switch json.next() {
        case UInt8(ascii: "\""): return .text(try json.text())
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean(try json.boolean())
        case UInt8(ascii: "{"): if let value = (try? JSONValue.read(&json))?.fact { return value }
        default: if let number = try? Double.read(&json) { return .number(number) }
        }
        throw Misreading(
            .wrongType, "\(json.factNoun) must be a text, a finite number, true or false, an amount or a time",
            hint: "an amount is {\"amount\": \"4.99\", \"currency\": \"USD\"}, a time is {\"at\": milliseconds}")
    }
}

extension JSONValue {
    /// The amount or the time that it is.
    fileprivate var fact: FactValue? {
        guard case .object(let members) = self else { return nil }
        switch (members["at"], members["amount"], members["currency"]) {
        case (.integer(let milliseconds)?, _, _): return .instant(Instant(milliseconds: milliseconds))
        case (.number(let number)?, _, _):
            return Int64(exactly: number.rounded(.down)).map { .instant(Instant(milliseconds: $0)) }
        case (nil, .text(let amount)?, .text(let currency)?):
            return Money.milliunits(amount).map { .money(Money(milliunits: $0, currency: currency)) }
        default: return nil
        }
    }
}

extension Dictionary: WireValue where Key == String, Value: WireValue {
    public static var form: WireForm { .map(of: Value.self) }

    public static func read(_ json: inout WireReader) throws(Misreading) -> [String: Value] {
        var values: [String: Value] = [:]
        try json.map { json, name throws(Misreading) in
            let isRepeated = values.updateValue(try Value.read(&json), forKey: name) != nil
            // Names of other bytes can be the same text to Swift: `K` and the Kelvin sign.
            guard isRepeated else { return }
            throw json.isQuick ? .notPlain : Misreading(.duplicateMember, "this member is given twice")
        }
        return values
    }
}

extension WireWord {
    public func write(to json: inout JSONWriter) { json.text(rawValue) }

    public static var form: WireForm { .word(Self.self) }

    public static func read(_ json: inout WireReader) throws(Misreading) -> Self {
        let text = try json.text()
        guard let word = Self(rawValue: text) else {
            throw Misreading(
                .invalidValue, "`\(text.shortened)` is not known here",
                hint: "known: " + Self.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "))
        }
        return word
    }
}

extension ArtefactFormat: WireWord {}
extension AppStoreEnvironment: WireWord {}
extension Delivery: WireWord {}
extension EventType: WireWord {}
extension IngestOutcome: WireWord {}
extension IssuedOfferState: WireWord {}
extension NotificationOutcome: WireWord {}
extension OfferStatus: WireWord {}
extension OfferType: WireWord {}
extension PaymentMode: WireWord {}
extension Provenance: WireWord {}
extension SignatureFormat: WireWord {}
extension SubscriptionStateName: WireWord {}

extension NotificationType: WireValue {
    public static var form: WireForm { .text }
    public static func read(_ json: inout WireReader) throws(Misreading) -> Self { Self(rawValue: try json.text()) }
}

extension NotificationSubtype: WireValue {
    public static var form: WireForm { .text }
    public static func read(_ json: inout WireReader) throws(Misreading) -> Self { Self(rawValue: try json.text()) }
}

extension DeviceRequest: WireRequest {
    public mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("appVersion", &appVersion)
        members.optional("osVersion", &osVersion)
        members.optional("locale", &locale)
        members.optional("placement", &placement)
    }
}
