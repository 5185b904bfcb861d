import JSON
import OfferModel
import OfferSigning

/// Values for absent members of an unsigned payload.
struct PayloadDefaults: Sendable {
    var date: Instant?
    var texts: [String: String] = [:]
}

/// Reads the members of one payload object; every refusal names the member.
///
/// Unknown members are ignored and `null` counts as absent: Apple adds members over time.
struct PayloadMembers {
    let kind: PayloadKind
    /// None for a signed payload.
    var defaults = PayloadDefaults()
    private let object: JSONObject
    private let path: String

    private init(_ object: JSONObject, kind: PayloadKind, path: String = "") {
        self.object = object
        self.kind = kind
        self.path = path
    }

    /// - Throws: ``SignedDataRefusal`` with `malformedPayload` unless it is a JSON object of that kind.
    init(of payload: [UInt8], kind: PayloadKind) throws(SignedDataRefusal) {
        let object: JSONObject?
        do {
            object = try JSONObject(payload, Self.form)
        } catch {
            let fault = error.kind == .manyValues ? "has more than \(Self.form.values) values" : "is not JSON"
            throw SignedDataRefusal(.malformedPayload, "the payload \(fault)")
        }
        guard let object else { throw SignedDataRefusal(.malformedPayload, "the payload is not a JSON object") }
        self.init(object, kind: kind)
        try requireKind()
    }

    /// Takes a payload apart that a stranger may have sent: one longer than any of its kind is refused too.
    init(limited payload: [UInt8], kind: PayloadKind) throws(SignedDataRefusal) {
        let most = kind.maximumPayloadBytes
        try SignedDataRefusal.require(
            payload.count <= most, .malformedPayload, "the payload has \(payload.count) bytes, more than \(most)")
        try self.init(of: payload, kind: kind)
    }

    /// The form that a payload may have; of repeated members the first counts. Apple's have some sixty values.
    private static let form = JSONForm.Limits(
        depth: 32, nameLength: .max, numberLength: 64, allowsRepeatedMembers: true, values: 8_192)

    /// Text without control characters: Apple's has none, and a NUL ends a text where it is stored.
    func string(_ name: String) throws(SignedDataRefusal) -> String? {
        let text = try value(name, "a string") { try $0.text(name) }
        guard let text = text ?? defaults.texts[name] else { return nil }
        try requirePrintable(text, name)
        return text
    }

    func strings(_ name: String) throws(SignedDataRefusal) -> [String]? {
        guard let texts = try value(name, "an array of strings", { try $0.texts(name) }) else { return nil }
        for text in texts { try requirePrintable(text, name) }
        return texts
    }

    /// A label that is stored and shown, whatever it is: absent if it is empty, and far shorter than
    /// ``longestLabel`` where Apple wrote it.
    func label(_ name: String) throws(SignedDataRefusal) -> String? {
        guard let text = try string(name), !text.isEmpty else { return nil }
        guard text.utf8.count <= Self.longestLabel else {
            throw malformed(
                name, "`\(path)\(name)` has \(text.utf8.count) bytes, more than \(Self.longestLabel)")
        }
        return text
    }

    private func requirePrintable(_ text: String, _ name: String) throws(SignedDataRefusal) {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw malformed(name, "`\(path)\(name)` holds a control character")
        }
    }

    func integer(_ name: String) throws(SignedDataRefusal) -> Int64? {
        guard let number = try value(name, "a whole number", { try $0.integer(name) }) else { return nil }
        guard InputBounds.integers.contains(number) else {
            throw malformed(name, "`\(path)\(name)` is `\(number)`, beyond any count or amount")
        }
        return number
    }

    func bool(_ name: String) throws(SignedDataRefusal) -> Bool? {
        try value(name, "true or false") { try $0.flag(name) }
    }

    /// Xcode's placeholder for a missing date, such as the purchase of the app: the first day of year 1.
    private static let xcodesNoDate = Instant(milliseconds: -62_135_769_600_000)

    /// A date between 1970 and the year 9999, in milliseconds; Xcode's fraction is rounded down.
    func date(_ name: String) throws(SignedDataRefusal) -> Instant? {
        let milliseconds = try value(name, "a number of milliseconds") { try $0.roundedDown(name) }
        guard let instant = milliseconds.map(Instant.init), instant != Self.xcodesNoDate else { return nil }
        guard InputBounds.instants.contains(instant) else {
            throw malformed(name, "`\(path)\(name)` is not a date: `\(instant)`")
        }
        return instant
    }

    /// The date the certificates are judged at.
    func signingDate() throws(SignedDataRefusal) -> Instant {
        let name = kind.dateMember
        guard let date = try date(name) ?? defaults.date else {
            throw SignedDataRefusal(
                .missingSignedDate, "\(kind.noun) has no `\(name)`, so its certificates cannot be judged",
                member: name)
        }
        return date
    }

    /// - Parameter kind: the kind of payload that it is; by default that of its parent.
    func object(_ name: String, kind: PayloadKind? = nil) throws(SignedDataRefusal) -> PayloadMembers? {
        try value(name, "an object") { try $0.object(name) }.map {
            PayloadMembers($0, kind: kind ?? self.kind, path: "\(path)\(name).")
        }
    }

    /// Refuses a payload without a mark of its kind, with the kind it looks like: users mix them, and one that bears no
    /// mark at all must not displace a real one.
    private func requireKind() throws(SignedDataRefusal) {
        guard let found = kind.found(in: object.has) else {
            let marks = kind.marks.map { "`\($0)`" }.joined(separator: " and no ")
            throw SignedDataRefusal(.malformedPayload, "\(kind.noun) has no \(marks)")
        }
        try SignedDataRefusal.require(
            found == kind, .malformedPayload, "this is \(found.noun), not \(kind.noun): \(found.destination)")
    }

    private func value<Value>(
        _ name: String, _ form: String, _ read: (JSONObject) throws -> Value?
    ) throws(SignedDataRefusal) -> Value? {
        do { return try read(object) } catch { throw malformed(name, "`\(path)\(name)` is not \(form)") }
    }

    func missing(_ name: String) -> SignedDataRefusal {
        malformed(name, "\(kind.noun) has no `\(path)\(name)`")
    }

    private func malformed(_ name: String, _ detail: String) -> SignedDataRefusal {
        SignedDataRefusal(.malformedPayload, detail, member: path + name)
    }

    private static let longestLabel = 128
}

extension PayloadMembers: PayloadFields {
    typealias Failure = SignedDataRefusal

    /// `nil` where it is absent.
    func value<Value: PayloadValue>(_ name: String) throws(SignedDataRefusal) -> Value? {
        let scalar: PayloadScalar? =
            switch Value.form {
            case .text: try string(name).map(PayloadScalar.text)
            case .identifier: try string(name).flatMap { $0.isEmpty ? nil : .text($0) }
            case .label: try label(name).map(PayloadScalar.text)
            case .number: try integer(name).map(PayloadScalar.number)
            case .date: try date(name).map { .number($0.milliseconds) }
            case .flag: try bool(name).map { .number($0 ? 1 : 0) }
            case .texts: try strings(name).map(PayloadScalar.texts)
            }
        return scalar.flatMap { Value(scalar: $0) }
    }

    func optional<Value: PayloadValue>(_ name: String, _ value: inout Value?) throws(SignedDataRefusal) {
        value = try self.value(name)
    }

    func required<Value: PayloadValue>(_ name: String, _ value: inout Value) throws(SignedDataRefusal) {
        guard let found: Value = try self.value(name) else { throw missing(name) }
        value = found
    }

    func signingDate(_ name: String, _ value: inout Instant) throws(SignedDataRefusal) {
        value = try signingDate()
    }

    func object<Object: PayloadObject>(_ name: String, _ value: inout Object?) throws(SignedDataRefusal) {
        value = try object(name)?.read(Object.self)
    }

    func read<Object: PayloadObject>(_ type: Object.Type) throws(SignedDataRefusal) -> Object {
        var (object, members) = (Object(), self)
        try object.visit(&members)
        return object
    }
}

/// The kinds of payload Apple signs, told apart by the members only one of them has.
public enum PayloadKind: CaseIterable, Sendable {
    case transaction
    case renewalInfo
    case appTransaction
    case notification
    case realtimeRequest

    var noun: String { terms.noun }
    /// Where this kind belongs, for a sender that mixed them up.
    var destination: String { terms.destination }
    /// Members that only this kind has; one of them is always there.
    var marks: [String] { terms.marks }
    var dateMember: String { self == .appTransaction ? "receiptCreationDate" : "signedDate" }

    private var terms: (noun: String, marks: [String], destination: String) {
        switch self {
        case .transaction: ("a transaction", ["transactionId"], "send it in `signedTransactions`")
        case .renewalInfo:
            ("renewal info", ["autoRenewStatus", "autoRenewProductId"], "send it in `signedRenewalInfo`")
        case .appTransaction:
            ("an app transaction", ["receiptCreationDate", "receiptType"], "send it as `signedAppTransaction`")
        case .notification:
            ("a notification", ["notificationUUID"], "the App Store sends it to the notifications URL")
        case .realtimeRequest:
            (
                "a realtime retention request", ["requestIdentifier"],
                "the App Store sends it to the retention messaging URL"
            )
        }
    }

    /// Apple's payloads are about 1 KiB, and a notification holds two signed ones of about 6 KiB.
    var maximumPayloadBytes: Int { self == .notification ? 196_608 : 65_536 }

    /// The payload in Base64 with as much again for certificates, whatever the kind; a notification's whole body may
    /// have 256 KiB (docs/bounds.md#requests).
    var maximumJWSBytes: Int { self == .notification ? 262_144 : 131_072 }

    /// The kind that an object is, judged by its members; `nil` if it bears no mark. This kind comes first, so that a
    /// member that Apple adds to one kind never costs a customer the payload.
    func found(in hasMember: (String) -> Bool) -> PayloadKind? {
        ([self] + Self.allCases).first { $0.marks.contains(where: hasMember) }
    }
}
