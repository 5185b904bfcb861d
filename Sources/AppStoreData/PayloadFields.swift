import JSON
import OfferModel
import OfferSigning

/// A visitor of a list of members: a reader or a writer.
protocol PayloadFields {
    associatedtype Failure: Error

    mutating func optional<Value>(
        _ name: MemberName, _ value: inout Value?, _ coding: PayloadCoding<Value>
    ) throws(Failure)
    mutating func required<Value>(
        _ name: MemberName, _ value: inout Value, _ coding: PayloadCoding<Value>
    ) throws(Failure)
    /// The date the certificates are judged at.
    mutating func signingDate(_ kind: PayloadKind, _ value: inout Instant) throws(Failure)
    mutating func object<Object: PayloadObject>(_ name: MemberName, _ value: inout Object?) throws(Failure)
}

extension PayloadFields {
    /// A flag that Apple writes only where it is true.
    mutating func flag(_ name: MemberName, _ value: inout Bool) throws(Failure) {
        var flag: Bool? = value ? true : nil
        try optional(name, &flag, .flag)
        value = flag ?? false
    }
}

/// How one value is read from a payload, `nil` where it is absent, and written to one.
struct PayloadCoding<Value> {
    let read: (PayloadMembers, MemberName) throws(SignedDataRefusal) -> Value?
    let write: (inout JSONWriter, Value) -> Void
}

extension PayloadCoding where Value == String {
    static var text: Self {
        Self(read: { members, name throws(SignedDataRefusal) in try members.string(name) }, write: { $0.text($1) })
    }

    /// A label with one spelling for each UUID, so that a repeat is recognised; other text stays as Apple wrote it.
    static var label: Self {
        Self(
            read: { members, name throws(SignedDataRefusal) in
                try members.label(name).map { LowercaseUUID($0)?.description ?? $0 }
            }, write: { $0.text($1) })
    }
}

extension PayloadCoding where Value == [String] {
    static var texts: Self {
        Self(
            read: { members, name throws(SignedDataRefusal) in try members.strings(name) },
            write: { $0.array($1) { $0.text($1) } })
    }
}

extension PayloadCoding where Value == [OfferIdentifier] {
    static var identifiers: Self {
        Self(
            read: { members, name throws(SignedDataRefusal) in
                try members.strings(name)?.map { OfferIdentifier($0) }
            }, write: { $0.array($1) { $0.text($1.rawValue) } })
    }
}

extension PayloadCoding where Value: RawRepresentable<String> {
    /// Absent if it is empty, so that an empty one never joins two customers.
    static var identifier: Self {
        Self(
            read: { members, name throws(SignedDataRefusal) in
                guard let text = try members.string(name), !text.isEmpty else { return nil }
                return Value(rawValue: text)
            }, write: { $0.text($1.rawValue) })
    }

    /// A value of a list that Apple extends: unknown ones are kept.
    static var open: Self {
        Self(
            read: { members, name throws(SignedDataRefusal) in
                try members.string(name).flatMap { Value(rawValue: $0) }
            }, write: { $0.text($1.rawValue) })
    }

    /// A value of a list that Apple extends, which is stored and shown whatever it is.
    static var label: Self {
        Self(
            read: { members, name throws(SignedDataRefusal) in
                try members.label(name).flatMap { Value(rawValue: $0) }
            }, write: { $0.text($1.rawValue) })
    }
}

extension PayloadCoding where Value: RawRepresentable<Int> {
    /// A value of a numbered list that Apple extends: unknown ones are kept.
    static var open: Self {
        Self(
            read: { members, name throws(SignedDataRefusal) in
                let number: Int? = try members.integer(name)
                return number.flatMap { Value(rawValue: $0) }
            }, write: { $0.integer(Int64($1.rawValue)) })
    }
}

extension PayloadCoding where Value: FixedWidthInteger & Decodable {
    static var integer: Self {
        Self(
            read: { members, name throws(SignedDataRefusal) in try members.integer(name) },
            write: { $0.integer(Int64(clamping: $1)) })
    }
}

extension PayloadCoding where Value == Bool {
    static var flag: Self {
        Self(read: { members, name throws(SignedDataRefusal) in try members.bool(name) }, write: { $0.boolean($1) })
    }
}

extension PayloadCoding where Value == Instant {
    static var date: Self {
        Self(
            read: { members, name throws(SignedDataRefusal) in try members.date(name) },
            write: { $0.integer($1.milliseconds) })
    }
}

extension PayloadCoding where Value == LowercaseUUID {
    /// Text that is not a UUID is dropped, because a wrong alias must not cost the customer the whole payload.
    static var uuid: Self {
        Self(
            read: { members, name throws(SignedDataRefusal) in
                try members.string(name).flatMap { LowercaseUUID($0) }
            }, write: { $0.text($1.description) })
    }
}

extension PayloadMembers: PayloadFields {
    typealias Failure = SignedDataRefusal

    func optional<Value>(
        _ name: MemberName, _ value: inout Value?, _ coding: PayloadCoding<Value>
    ) throws(SignedDataRefusal) { value = try coding.read(self, name) }

    func required<Value>(
        _ name: MemberName, _ value: inout Value, _ coding: PayloadCoding<Value>
    ) throws(SignedDataRefusal) {
        guard let found = try coding.read(self, name) else { throw missing(name) }
        value = found
    }

    func signingDate(_ kind: PayloadKind, _ value: inout Instant) throws(SignedDataRefusal) {
        value = try signingDate()
    }

    func object<Object: PayloadObject>(_ name: MemberName, _ value: inout Object?) throws(SignedDataRefusal) {
        guard let members = try object(name) else { return value = nil }
        value = try members.read(Object.self)
    }

    /// Reads an object by the list of its members.
    func read<Object: PayloadObject>(_ type: Object.Type) throws(SignedDataRefusal) -> Object {
        var (object, members) = (Object.blank, self)
        try object.visit(&members)
        return object
    }
}

/// Writes the members of a payload in the order of their names.
struct PayloadWriter: PayloadFields {
    typealias Failure = Never

    private var members: [(name: String, write: (inout JSONWriter) -> Void)] = []

    static func text(of object: some PayloadObject) -> [UInt8] {
        var json = JSONWriter(escapes: .hexadecimal)
        write(object, to: &json)
        return json.bytes
    }

    private static func write(_ object: some PayloadObject, to json: inout JSONWriter) {
        var (writer, object) = (PayloadWriter(), object)
        object.visit(&writer)
        json.object { json in
            for member in writer.members.sorted(by: { $0.name < $1.name }) {
                json.name(member.name)
                member.write(&json)
            }
        }
    }

    mutating func optional<Value>(_ name: MemberName, _ value: inout Value?, _ coding: PayloadCoding<Value>) {
        if var value { required(name, &value, coding) }
    }

    mutating func required<Value>(_ name: MemberName, _ value: inout Value, _ coding: PayloadCoding<Value>) {
        let value = value
        members.append((name.stringValue, { coding.write(&$0, value) }))
    }

    mutating func signingDate(_ kind: PayloadKind, _ value: inout Instant) { required(kind.dateMember, &value, .date) }

    mutating func object<Object: PayloadObject>(_ name: MemberName, _ value: inout Object?) {
        if let value { members.append((name.stringValue, { Self.write(value, to: &$0) })) }
    }
}
