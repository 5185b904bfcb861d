import FoundationEssentials
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
    private let source: Source
    private let path: String

    enum Source {
        case decoder(KeyedDecodingContainer<MemberName>)
        case fastPath(FastPathPayload)
    }

    init(_ source: Source, kind: PayloadKind, path: String = "") {
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

    func strings(_ name: MemberName) throws(SignedDataRefusal) -> [String]? {
        let texts = try value(name, "an array of strings") { _ -> [String]? in nil }
        guard let texts else { return nil }
        for text in texts { try requirePrintable(text, name) }
        return texts
    }

    /// A label that is stored and shown, whatever it is: absent if it is empty, and far shorter than
    /// ``longestLabel`` where Apple wrote it.
    func label(_ name: MemberName) throws(SignedDataRefusal) -> String? {
        guard let text = try string(name), !text.isEmpty else { return nil }
        guard text.utf8.count <= Self.longestLabel else {
            throw malformed(
                name, "`\(path)\(name.stringValue)` has \(text.utf8.count) bytes, more than \(Self.longestLabel)")
        }
        return text
    }

    private func requirePrintable(_ text: String, _ name: MemberName) throws(SignedDataRefusal) {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw malformed(name, "`\(path)\(name.stringValue)` holds a control character")
        }
    }

    func integer(_ name: MemberName) throws(SignedDataRefusal) -> Int64? {
        let number = try value(name, "a whole number") { value -> Int64? in
            if case .integer(let integer) = value { integer } else { nil }
        }
        guard let number else { return nil }
        guard InputBounds.integers.contains(number) else {
            throw malformed(name, "`\(path)\(name.stringValue)` is `\(number)`, beyond any count or amount")
        }
        return number
    }

    func bool(_ name: MemberName) throws(SignedDataRefusal) -> Bool? {
        try value(name, "true or false") { value -> Bool? in
            if case .boolean(let flag) = value { flag } else { nil }
        }
    }

    /// Xcode's placeholder for a missing date, such as the purchase of the app: the first day of year 1.
    private static let xcodesNoDate = Instant(milliseconds: -62_135_769_600_000)

    /// A date between 1970 and the year 9999, in milliseconds; Xcode's fraction is rounded down.
    func date(_ name: MemberName) throws(SignedDataRefusal) -> Instant? {
        let instant = try value(name, "a number of milliseconds") { value -> Instant? in
            if case .integer(let integer) = value { Instant(milliseconds: integer) } else { nil }
        }
        guard let instant, instant != Self.xcodesNoDate else { return nil }
        guard InputBounds.instants.contains(instant) else {
            throw malformed(name, "`\(path)\(name.stringValue)` is not a date: `\(instant)`")
        }
        return instant
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
    /// - Parameter kind: the kind of payload that it is; by default that of its parent.
    func object(_ name: MemberName, kind: PayloadKind? = nil) throws(SignedDataRefusal) -> PayloadMembers? {
        guard isPresent(name) else { return nil }
        let nested: Source? =
            switch source {
            case .decoder(let container):
                (try? container.nestedContainer(keyedBy: MemberName.self, forKey: name)).map(Source.decoder)
            case .fastPath(let payload):
                if case .object(let object) = payload[name.stringValue] { .fastPath(object) } else { nil }
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
        try SignedDataRefusal.require(
            found == kind, .malformedPayload, "this is \(found.noun), not \(kind.noun): \(found.destination)")
    }

    private func isPresent(_ name: MemberName) -> Bool {
        switch source {
        case .decoder(let container):
            return container.contains(name) && (try? container.decodeNil(forKey: name)) == false
        case .fastPath(let payload):
            switch payload[name.stringValue] {
            case nil, .null: return false
            default: return true
            }
        }
    }

    /// - Parameter read: reads a value on the fast path; `nil` if it has another type.
    private func value<Value: Decodable>(
        _ name: MemberName, _ form: String, fastPath read: (FastPathPayload.Value) -> Value?
    ) throws(SignedDataRefusal) -> Value? {
        switch source {
        case .decoder(let container):
            do {
                return try container.decodeIfPresent(Value.self, forKey: name)
            } catch {
                throw wrongType(name, form)
            }
        case .fastPath(let payload):
            switch payload[name.stringValue] {
            case nil, .null: return nil
            case .some(let found):
                guard let value = read(found) else { throw wrongType(name, form) }
                return value
            }
        }
    }

    func missing(_ name: MemberName) -> SignedDataRefusal {
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

extension PayloadMembers: PayloadFields {
    typealias Failure = SignedDataRefusal

    /// `nil` where it is absent.
    func value<Value: PayloadValue>(_ name: MemberName) throws(SignedDataRefusal) -> Value? {
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
        value = try self.value(MemberName(stringLiteral: name))
    }

    func required<Value: PayloadValue>(_ name: String, _ value: inout Value) throws(SignedDataRefusal) {
        let name = MemberName(stringLiteral: name)
        guard let found: Value = try self.value(name) else { throw missing(name) }
        value = found
    }

    func signingDate(_ name: String, _ value: inout Instant) throws(SignedDataRefusal) {
        value = try signingDate()
    }

    func object<Object: PayloadObject>(_ name: String, _ value: inout Object?) throws(SignedDataRefusal) {
        value = try object(MemberName(stringLiteral: name))?.read(Object.self)
    }

    /// Reads an object by the list of its members.
    func read<Object: PayloadObject>(_ type: Object.Type) throws(SignedDataRefusal) -> Object {
        var (object, members) = (Object.blank, self)
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
    var marks: [MemberName] { terms.marks }
    var dateMember: MemberName { self == .appTransaction ? "receiptCreationDate" : "signedDate" }

    private var terms: (noun: String, marks: [MemberName], destination: String) {
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
    func found(in hasMember: (MemberName) -> Bool) -> PayloadKind? {
        ([self] + Self.allCases).first { $0.marks.contains(where: hasMember) }
    }
}

struct MemberName: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringLiteral value: String) { stringValue = value }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// The one place where payload JSON is taken apart.
struct PayloadJSON {
    private let bytes: [UInt8]
    /// The members, where a decoder is not needed to find them.
    private let fastPath: FastPathPayload?

    /// - Parameters:
    ///   - kind: what the payload should be; a longer one than any of this kind is refused.
    ///   - triesFastPath: whether to read without a decoder where that is possible; both ways give the same.
    init(_ bytes: [UInt8], kind: PayloadKind, triesFastPath: Bool = true) throws(SignedDataRefusal) {
        let most = kind.maximumPayloadBytes
        try SignedDataRefusal.require(
            bytes.count <= most, .malformedPayload, "the payload has \(bytes.count) bytes, more than \(most)")
        self.bytes = bytes
        fastPath = triesFastPath ? FastPathPayload(bytes) : nil
    }

    func read<Payload: ApplePayload>(_ type: Payload.Type) throws(SignedDataRefusal) -> Payload {
        try members(Payload.kind) { members throws(SignedDataRefusal) in try members.read(type) }
    }

    /// Only the date: what is needed before the signature can be checked. Until then a stranger may have written the
    /// payload, so a decoder sees only the members that this takes.
    func signingDate(_ kind: PayloadKind) throws(SignedDataRefusal) -> Instant {
        let read = { (members: PayloadMembers) throws(SignedDataRefusal) in try members.signingDate() }
        guard fastPath == nil else { return try members(kind, read) }
        let excerpt: [UInt8]?
        do {
            excerpt = try JSONForm.excerpt(bytes, Self.namesBeforeSignature, Self.form)
        } catch {
            throw SignedDataRefusal(
                .malformedPayload,
                error.kind == .manyValues
                    ? "the payload has more than \(Self.form.values) values" : "the payload is not JSON")
        }
        guard let excerpt else { throw SignedDataRefusal(.malformedPayload, "the payload is not a JSON object") }
        return try Self.decode(excerpt, kind, read)
    }

    private static let namesBeforeSignature = Array(
        Set(PayloadKind.allCases.flatMap { $0.marks + [$0.dateMember] }.map(\.stringValue)))
    /// The form that a payload may have; of repeated members the decoder takes one. Apple's have some sixty values.
    private static let form = JSONForm.Limits(
        depth: 32, nameLength: .max, numberLength: 64, allowsRepeatedMembers: true, values: 8_192)

    private func members<Value>(
        _ kind: PayloadKind, _ read: @escaping (PayloadMembers) throws(SignedDataRefusal) -> Value
    ) throws(SignedDataRefusal) -> Value {
        guard let fastPath else { return try Self.decode(bytes, kind, read) }
        let members = PayloadMembers(.fastPath(fastPath), kind: kind)
        try members.requireKind()
        return try read(members)
    }

    /// Reads an object of a kind with a decoder.
    static func decode<Value>(
        _ bytes: [UInt8], _ kind: PayloadKind,
        _ read: @escaping (PayloadMembers) throws(SignedDataRefusal) -> Value
    ) throws(SignedDataRefusal) -> Value {
        do {
            return try JSONDecoder().decode(Envelope<Value>.self, from: Data(bytes), configuration: (kind, read)).value
        } catch let refusal as SignedDataRefusal {
            throw refusal
        } catch DecodingError.typeMismatch, DecodingError.valueNotFound {
            throw SignedDataRefusal(.malformedPayload, "the payload is not a JSON object")
        } catch {
            throw SignedDataRefusal(.malformedPayload, "the payload is not JSON")
        }
    }

    private struct Envelope<Value>: DecodableWithConfiguration {
        let value: Value

        init(
            from decoder: any Decoder,
            configuration: (kind: PayloadKind, read: (PayloadMembers) throws(SignedDataRefusal) -> Value)
        ) throws {
            let members = PayloadMembers(
                .decoder(try decoder.container(keyedBy: MemberName.self)), kind: configuration.kind)
            try members.requireKind()
            value = try configuration.read(members)
        }
    }
}
