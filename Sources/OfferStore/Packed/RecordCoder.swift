public import OfferModel

/// What goes through a record's list of members, in one order: a reader or a writer of its bytes.
public protocol RecordCoder: PayloadFields where Failure == any Error {
    mutating func field<Value: Packable>(_ value: inout Value) throws
    /// A member that moves by itself without changing what the record says.
    mutating func field<Value: Packable>(moving value: inout Value) throws
}

extension RecordCoder {
    @inline(__always)
    public mutating func field<Value: Packable>(moving value: inout Value) throws { try field(&value) }

    @inline(__always)
    public mutating func required<Value: PayloadValue>(_ name: String, _ value: inout Value) throws {
        var packed = PackedValue(value: value)
        try field(&packed)
        value = packed.value
    }

    @inline(__always)
    public mutating func optional<Value: PayloadValue>(_ name: String, _ value: inout Value?) throws {
        var packed = value.map(PackedValue.init)
        try field(&packed)
        value = packed?.value
    }

    /// Nothing: copies of a payload that differ in it alone say the same.
    @inline(__always)
    public mutating func signingDate(_ name: String, _ value: inout Instant) {}

    @inline(__always)
    public mutating func object<Object: PayloadObject>(_ name: String, _ value: inout Object?) throws {
        var (isPresent, object) = (value != nil, value ?? Object())
        try field(&isPresent)
        try object.visit(&self)
        value = isPresent ? object : nil
    }
}

/// A record that is kept as bytes: its members one after the other.
public protocol PackedRecord: Packable {
    /// A record to read into.
    static var blank: Self { get }
    /// Goes through the members. The first one is never absent if the record may be.
    mutating func code(with coder: inout some RecordCoder) throws
}

extension PackedRecord {
    public func pack(into writer: inout PackedWriter) throws {
        var record = self
        try record.code(with: &writer)
    }

    public init(unpacking reader: inout PackedReader) throws {
        self = .blank
        try code(with: &reader)
    }
}

/// A record that is kept in a run, each row as its difference from the row before: see ``RunWriter``.
protocol RecordRow {
    /// What the first row of a run is read into; every optional member is absent.
    static var blank: Self { get }
    /// Goes through at most 63 members. Those that differ in nearly every row come early: then few bytes say which they
    /// are.
    mutating func code(with coder: inout some RecordCoder) throws
}

/// The form in which records are kept. Equal records are equal bytes.
///
/// ```
/// number   varint (zigzag + 1) << 1; flags are 0 and 1, instants milliseconds
/// text     varint length << 1 | 1, and UTF-8
/// absent   0, which begins nothing else
/// word     varint code << 1, with the codes of PackedWords.swift
/// list     varint (count + 1) << 1, and the elements; of a dictionary keys and values, in the order of the keys
/// record   its members
/// ```
///
/// What is kept by itself begins with the version.
enum PackedForm {
    /// The version of this form, of the codes of words and of every list of members.
    static let version: UInt8 = 3
}

/// The bytes are not what a ``PackedWriter`` wrote.
public struct PackedError: Error, Sendable {
    var detail = "that cannot be read"
}
