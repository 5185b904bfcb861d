// Apple's payloads list their members once, beside their declarations: what is read from signed JSON, what an unsigned
// payload is written as, what the local App Store signs and what the history keeps all follow from these lists.

/// What goes through a list of members: a reader or a writer, of JSON or of a record's bytes.
public protocol PayloadFields {
    associatedtype Failure: Error

    mutating func required<Value: PayloadValue>(_ name: String, _ value: inout Value) throws(Failure)
    mutating func optional<Value: PayloadValue>(_ name: String, _ value: inout Value?) throws(Failure)
    /// The date the certificates are judged at.
    mutating func signingDate(_ name: String, _ value: inout Instant) throws(Failure)
    mutating func object<Object: PayloadObject>(_ name: String, _ value: inout Object?) throws(Failure)
}

extension PayloadFields {
    /// A flag that Apple writes only where it is true.
    @inlinable
    public mutating func flag(_ name: String, _ value: inout Bool) throws(Failure) {
        var flag: Bool? = value ? true : nil
        try optional(name, &flag)
        value = flag ?? false
    }
}

/// An object with a list of its members. A reader reports the first of the list that is at fault: those that are
/// required come first. Then come the members that differ in nearly every transaction of a subscription, so that two
/// bytes name those that do.
public protocol PayloadObject: Sendable, Hashable {
    /// An object to read into; every optional member is absent.
    init()

    /// Goes through the members: a reader sets them, a writer takes them.
    mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure)
}

/// The value of one member.
public protocol PayloadValue: Sendable, Hashable {
    static var form: PayloadForm { get }
    /// `nil` if there is no such value.
    init?(scalar: PayloadScalar)
    var scalar: PayloadScalar { get }
}

public enum PayloadScalar: Sendable {
    case text(String)
    /// Also dates in milliseconds, and flags as 0 and 1.
    case number(Int64)
    case texts([String])
}

/// How Apple's JSON has a value.
public enum PayloadForm: Sendable {
    case text
    /// Text that is absent if it is empty, so that an empty one never joins two customers.
    case identifier
    /// Text that is stored and shown, whatever it is.
    case label
    case number, date, flag, texts
}

extension String: PayloadValue {
    @inlinable public static var form: PayloadForm { .text }
    @inlinable
    public init?(scalar: PayloadScalar) {
        guard case .text(let text) = scalar else { return nil }
        self = text
    }
    @inlinable public var scalar: PayloadScalar { .text(self) }
}

extension Int64: PayloadValue {
    @inlinable public static var form: PayloadForm { .number }
    @inlinable
    public init?(scalar: PayloadScalar) {
        guard case .number(let number) = scalar else { return nil }
        self = number
    }
    @inlinable public var scalar: PayloadScalar { .number(self) }
}

extension Int: PayloadValue {
    @inlinable public static var form: PayloadForm { .number }
    @inlinable
    public init?(scalar: PayloadScalar) {
        guard case .number(let number) = scalar else { return nil }
        self.init(exactly: number)
    }
    @inlinable public var scalar: PayloadScalar { .number(Int64(self)) }
}

extension Bool: PayloadValue {
    @inlinable public static var form: PayloadForm { .flag }
    @inlinable
    public init?(scalar: PayloadScalar) {
        switch scalar {
        case .number(0): self = false
        case .number(1): self = true
        default: return nil
        }
    }
    @inlinable public var scalar: PayloadScalar { .number(self ? 1 : 0) }
}

extension Instant: PayloadValue {
    @inlinable public static var form: PayloadForm { .date }
    @inlinable
    public init?(scalar: PayloadScalar) {
        guard case .number(let number) = scalar else { return nil }
        self.init(milliseconds: number)
    }
    @inlinable public var scalar: PayloadScalar { .number(milliseconds) }
}

/// Text that is no UUID is dropped, because a wrong alias must not cost the customer the whole payload.
extension LowercaseUUID: PayloadValue {
    @inlinable public static var form: PayloadForm { .text }
    @inlinable
    public init?(scalar: PayloadScalar) {
        guard case .text(let text) = scalar else { return nil }
        self.init(text)
    }
    @inlinable public var scalar: PayloadScalar { .text(description) }
}

extension Array: PayloadValue where Element: PayloadValue {
    public static var form: PayloadForm { .texts }
    /// Of texts; no payload has a list of anything else.
    public init?(scalar: PayloadScalar) {
        guard case .texts(let texts) = scalar else { return nil }
        self.init()
        for text in texts {
            guard let element = Element(scalar: .text(text)) else { return nil }
            append(element)
        }
    }
    public var scalar: PayloadScalar {
        .texts(compactMap { if case .text(let text) = $0.scalar { text } else { nil } })
    }
}

extension PayloadValue where Self: RawRepresentable, RawValue: PayloadValue {
    @inlinable public static var form: PayloadForm { RawValue.form }
    @inlinable
    public init?(scalar: PayloadScalar) {
        guard let raw = RawValue(scalar: scalar) else { return nil }
        self.init(rawValue: raw)
    }
    @inlinable public var scalar: PayloadScalar { rawValue.scalar }
}

extension Identifier: PayloadValue {
    @inlinable public static var form: PayloadForm { .identifier }
}
