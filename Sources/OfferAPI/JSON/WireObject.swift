public import JSON

/// A value of a request or an answer.
public protocol WireValue: JSONWritable, Hashable, Sendable {
    /// What it is in JSON.
    static var form: WireForm { get }
    /// Reads the value that is ahead.
    static func read(_ json: inout WireReader) throws(Misreading) -> Self
}

/// An object whose members are listed once: what is read, what is written and what is compared with `openapi.yaml`
/// follow from the list.
///
/// An answer lists its members in the order of their names, in which they are written.
public protocol WireObject: WireValue {
    /// An object to read into: what is required says nothing yet.
    init()
    /// Goes through the members: a reader sets them, a writer takes them.
    mutating func visit(_ members: inout some MemberVisitor)
}

/// An object of a request. It lists its members in the order in which a hint names them and their faults are found.
public protocol WireRequest: WireObject {}

/// A word of a closed list.
public protocol WireWord: WireValue, RawRepresentable<String>, CaseIterable {}

/// A reader, writer or description of a list of members. It keeps the first failure for its caller.
public protocol MemberVisitor {
    mutating func required<Value: WireValue>(_ name: StaticString, _ value: inout Value)
    /// A member that may be absent or null.
    mutating func optional<Value: WireValue>(_ name: StaticString, _ value: inout Value?)
    /// A member of a request that keeps the value it has if it is absent or null.
    mutating func defaulted<Value: WireValue>(_ name: StaticString, _ value: inout Value)
}

/// What a value is in JSON.
public enum WireForm: Sendable {
    case text, integer, number, boolean, anything
    case word(any WireWord.Type)
    case list(of: any WireValue.Type)
    /// An object of any members.
    case map(of: any WireValue.Type)
    case object(any WireObject.Type)
    /// One of several, by the name of the schema that lists them.
    case schema(String)
}

extension WireObject {
    /// An object whose members are filled in.
    public init(_ fill: (inout Self) throws -> Void) rethrows {
        self.init()
        try fill(&self)
    }

    public static var form: WireForm { .object(Self.self) }

    public static func read(_ json: inout WireReader) throws(Misreading) -> Self {
        var object = Self()
        try json.read(&object)
        return object
    }

    public func write(to json: inout JSONWriter) {
        var object = self
        json.object { object.visit(&$0) }
    }
}

extension WireRequest {
    public func write(to json: inout JSONWriter) {
        var (object, written) = (self, WrittenMembers())
        object.visit(&written)
        json.object { json in
            for member in written.members.sorted(by: { $0.name < $1.name }) {
                json.name(member.name)
                json.append(member.json)
            }
        }
    }
}

extension JSONWriter: MemberVisitor {
    public mutating func required<Value: WireValue>(_ name: StaticString, _ value: inout Value) {
        self.name(name)
        self.value(value)
    }

    public mutating func optional<Value: WireValue>(_ name: StaticString, _ value: inout Value?) {
        guard let value else { return }
        self.name(name)
        self.value(value)
    }

    public mutating func defaulted<Value: WireValue>(_ name: StaticString, _ value: inout Value) {
        required(name, &value)
    }
}

/// Each member written for itself, to be put in the order of the names.
private struct WrittenMembers: MemberVisitor {
    var members: [(name: String, json: JSONWriter)] = []

    mutating func required<Value: WireValue>(_ name: StaticString, _ value: inout Value) {
        var json = JSONWriter()
        json.value(value)
        members.append((name.description, json))
    }

    mutating func optional<Value: WireValue>(_ name: StaticString, _ value: inout Value?) {
        if var value { required(name, &value) }
    }

    mutating func defaulted<Value: WireValue>(_ name: StaticString, _ value: inout Value) { required(name, &value) }
}

/// The members of an object, as it lists them.
public struct MemberList: MemberVisitor {
    public struct Member: Sendable {
        public let name: StaticString
        public let isRequired: Bool
        public let form: WireForm
    }

    public private(set) var members: [Member] = []

    public init<Object: WireObject>(_ type: Object.Type) {
        var object = Object()
        object.visit(&self)
    }

    public mutating func required<Value: WireValue>(_ name: StaticString, _ value: inout Value) {
        members.append(Member(name: name, isRequired: true, form: Value.form))
    }

    public mutating func optional<Value: WireValue>(_ name: StaticString, _ value: inout Value?) {
        members.append(Member(name: name, isRequired: false, form: Value.form))
    }

    public mutating func defaulted<Value: WireValue>(_ name: StaticString, _ value: inout Value) {
        members.append(Member(name: name, isRequired: false, form: Value.form))
    }
}
