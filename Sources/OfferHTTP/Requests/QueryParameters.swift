package import Hummingbird
package import OfferAPI
package import OfferApplication
package import OfferModel

/// The query parameters of a request, or the fields of a form, from a closed list, each at most once.
package struct QueryParameters {
    /// Far more than any request needs; a form may name every product of a catalog.
    private static let mostPairs = 1_000

    private let values: [String: String]
    private(set) var errors: [ProblemErrorBody] = []

    /// - Throws: ``RequestFault`` with every parameter that is unknown, repeated or not UTF-8.
    package init(_ request: Request, known: [String]) throws(RequestFault) {
        try self.init(request.uri.query ?? "", known: known)
    }

    /// - Parameters:
    ///   - text: names and values as forms write them.
    ///   - list: the name that may be given several times, as a form does of what can be chosen from a list.
    package init(_ text: String, known: [String], list: String? = nil) throws(RequestFault) {
        var values = [String: String]()
        var errors = [ProblemErrorBody]()
        let pairs = text.split(separator: "&", maxSplits: Self.mostPairs)
        guard pairs.count <= Self.mostPairs else {
            throw RequestFault(path: "query", .tooMany, "there are more than \(Self.mostPairs) parameters")
        }
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.flatMap(Self.decoded),
                let value = Self.decoded(parts.count == 2 ? parts[1] : "")
            else {
                errors.append(Self.error("", .invalidValue, "`\(pair.prefix(100))` is not percent-encoded UTF-8"))
                continue
            }
            if !known.contains(name) {
                let hint =
                    known.isEmpty ? "there are none" : "known: " + known.map { "`\($0)`" }.joined(separator: ", ")
                let shown = String(name.prefix(100))
                errors.append(
                    Self.error(shown, .unknownParameter, "there is no parameter `\(shown)` here", hint: hint))
            } else if let earlier = values[name], name == list {
                values[name] = "\(earlier)\n\(value)"
            } else if values.updateValue(value, forKey: name) != nil {
                errors.append(Self.error(name, .duplicateParameter, "the parameter `\(name)` is given twice"))
            }
        }
        guard errors.isEmpty else { throw RequestFault(errors: errors) }
        self.values = values
    }

    /// The text of a parameter, 1 to 255 characters (or `maximum`) without control characters; `nil` if absent.
    package mutating func text(_ name: String, maximum: Int = RequestRules.identifierLength) -> String? {
        guard let value = values[name] else { return nil }
        if let fault = RequestRules.fault(inText: value, maximum: maximum) {
            errors.append(Self.error(name, fault.code, fault.detail))
        }
        return value
    }

    /// The same of a field of a form: one that nothing was typed into is absent, and spaces around what was pasted are
    /// not meant.
    package mutating func field(_ name: String, maximum: Int = RequestRules.identifierLength) -> String? {
        guard let value = values[name]?[...].trimmed, !value.isEmpty else { return nil }
        let text = String(value)
        if let fault = RequestRules.fault(inText: text, maximum: maximum) {
            errors.append(Self.error(name, fault.code, fault.detail))
        }
        return text
    }

    /// The message of a catalog's revision, and the reason for a pause, as fields of a form.
    package mutating func message(_ name: String) -> String? { field(name, maximum: RequestRules.messageLength) }
    package mutating func reason(_ name: String) -> String? { field(name, maximum: RequestRules.reasonLength) }

    /// 00:00 UTC on a day of a form, such as `2026-12-01`.
    package mutating func day(_ name: String) -> Instant? {
        guard let text = field(name) else { return nil }
        let instant = Instant(iso8601: "\(text)T00:00:00Z")
        if let instant, InputBounds.instants.contains(instant) { return instant }
        refuse(name, "is not a day", hint: "give it as `2026-12-01`")
        return nil
    }

    /// A document that was typed into a form: as it is, but with the line breaks of files instead of those of forms.
    package func document(_ name: String) -> String? {
        guard let value = values[name] else { return nil }
        var bytes: [UInt8] = []
        for byte in value.utf8 {
            if byte == UInt8(ascii: "\n"), bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What was typed into a field or chosen of a list, for a reader that judges it; empty if it was nothing.
    package func typed(_ name: String) -> String { values[name].map { String($0[...].trimmed) } ?? "" }

    /// A UUID in any case; `nil` if absent.
    mutating func uuid(_ name: String) -> LowercaseUUID? {
        value(name, or: "is not a UUID") { LowercaseUUID($0) }
    }

    /// How many entries a page has: 50 unless the client wants more or fewer.
    mutating func limit() -> Int {
        value("limit", or: "is not a whole number from 1 to 200") { text in
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else { return nil }
            return (1...200).contains(number) ? number : nil
        } ?? 50
    }

    /// The place where a page starts, as `next` of the page before gave it; `nil` if absent.
    mutating func cursor(_ name: String, of list: ListCursor) -> Int64? {
        cursor(name) { list.place($0) }
    }

    /// The place where a page starts, in the form of its list; `nil` if absent.
    package mutating func cursor<Place>(_ name: String, _ read: (String) -> Place?) -> Place? {
        guard let value = values[name] else { return nil }
        let place = read(value)
        if place == nil { refuseCursor(name) }
        return place
    }

    mutating func refuseCursor(_ name: String) {
        refuse(name, "is not a cursor of this list", hint: "pass the `next` of the previous page unchanged")
    }

    /// `true` or `false`; `nil` if absent.
    package mutating func flag(_ name: String) -> Bool? {
        value(name, or: "is neither `true` nor `false`") { Bool($0) }
    }

    /// The value as it is read; `nil` if the parameter is absent, or has another value, which is noted.
    private mutating func value<Value>(_ name: String, or fault: String, _ read: (String) -> Value?) -> Value? {
        guard let text = values[name] else { return nil }
        let value = read(text)
        if value == nil { refuse(name, fault) }
        return value
    }

    package mutating func refuse(_ name: String, _ fault: String, hint: String? = nil) {
        let value = (values[name] ?? "").prefix(100)
        let shown = value.isEmpty ? "an empty text" : "`\(value)`"
        errors.append(Self.error(name, .invalidValue, "\(shown) \(fault)", hint: hint))
    }

    /// - Throws: ``RequestFault`` if anything read was wrong.
    package func finish() throws(RequestFault) {
        guard errors.isEmpty else { throw RequestFault(errors: errors) }
    }

    private static func error(
        _ name: String, _ code: RequestErrorCode, _ detail: String, hint: String? = nil
    ) -> ProblemErrorBody {
        ProblemErrorBody(path: "query.\(name)", code: code.rawValue, detail: detail, hint: hint)
    }

    private static func decoded(_ text: Substring) -> String? {
        PercentEncoding.decoded(text, plusIsSpace: true)
    }

    /// Milliseconds since 1970, or a date and time with its zone; `nil` if absent.
    package mutating func instant(_ name: String) -> Instant? {
        guard let text = text(name) else { return nil }
        let instant = Int64(text).map(Instant.init(milliseconds:)) ?? Instant(iso8601: text)
        if let instant, InputBounds.instants.contains(instant) { return instant }
        refuse(
            name, "is not a moment",
            hint: "write milliseconds since 1970, or a date and time with its zone such as `2026-12-01T00:00:00Z`")
        return nil
    }
}

enum CustomerQuery {
    static let names = ["originalTransactionId", "appTransactionId", "appAccountToken", "customerId"]

    /// - Throws: ``RequestFault`` with everything wrong in the query so far.
    static func readIfAny(_ query: inout QueryParameters) throws(RequestFault) -> CustomerIdentifiers {
        let identifiers = CustomerIdentifiers(
            originalTransactionId: query.text("originalTransactionId").map { TransactionId($0) },
            appTransactionId: query.text("appTransactionId").map { AppTransactionId($0) },
            appAccountToken: query.uuid("appAccountToken"),
            customerId: query.text("customerId").map { CustomerId($0) })
        try query.finish()
        return identifiers
    }

    /// - Parameter orAny: whether `identifier` would do instead.
    /// - Throws: ``RequestFault`` if none is given.
    static func read(_ query: inout QueryParameters, orAny: Bool = false) throws(RequestFault) -> CustomerIdentifiers {
        let identifiers = try readIfAny(&query)
        guard identifiers != CustomerIdentifiers() else {
            throw RequestFault(
                path: "query", .missingMember, "the query names no customer",
                hint: "give " + names.map { "`\($0)`" }.joined(separator: ", ") + " or several of them"
                    + (orAny ? ", or `identifier`, which may be any of them" : ""))
        }
        return identifiers
    }
}

extension CustomerQuery {
    enum Named {
        case any(String)
        case identifiers(CustomerIdentifiers)
    }

    /// The customer by `identifier`, which may be of any kind, or by the others.
    ///
    /// - Throws: ``RequestFault`` if none is given, or both.
    static func readNamed(_ query: inout QueryParameters) throws(RequestFault) -> Named {
        guard let text = query.text("identifier") else { return .identifiers(try read(&query, orAny: true)) }
        guard try readIfAny(&query).isEmpty else {
            throw RequestFault(
                path: "query.identifier", .invalidValue, "`identifier` names the customer by itself",
                hint: "leave it, or the other identifiers, out")
        }
        return .any(text)
    }
}

extension RequestContext {
    /// The decoded value of a path placeholder, such as the `id` of `/v1/offers/{id}/pause`.
    ///
    /// - Throws: ``RequestFault`` at `path.<name>` if it is not percent-encoded UTF-8.
    package func pathText(_ name: String) throws -> String {
        let raw = try parameters.require(name)
        guard let text = PercentEncoding.decoded(raw, plusIsSpace: false) else {
            throw RequestFault(
                path: "path.\(name)", .invalidValue, "`\(raw.prefix(100))` is not percent-encoded UTF-8")
        }
        return text
    }

    /// The `id` of a path; what is none is unknown.
    package func pathId<Id>(_ read: (String) -> Id?, or unknown: (String) -> RequestError) throws -> Id {
        let text = try pathText("id")
        guard let id = read(text) else { throw unknown(text) }
        return id
    }
}

/// Bytes written as `%` and two hexadecimal digits (RFC 3986 §2.1).
package enum PercentEncoding {
    /// The text that is meant; `nil` for an incomplete `%` and for what is not UTF-8.
    ///
    /// - Parameter plusIsSpace: whether `+` is a space, as forms write queries; in a path it is itself.
    static func decoded(_ text: some StringProtocol, plusIsSpace: Bool) -> String? {
        var bytes = [UInt8]()
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard rest.count >= 2,
                    let value = Hexadecimal.bytes(String(decoding: rest.prefix(2), as: UTF8.self))?.first
                else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
