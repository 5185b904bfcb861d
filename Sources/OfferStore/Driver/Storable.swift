public import OfferModel

/// A value that fits into one column.
public protocol Storable {
    /// The column's value.
    var storedValue: StoredValue { get }
    /// Reads a column; `nil` if it holds something else.
    init?(storedValue: StoredValue)
    /// Reads a column of the row that a statement stands at, to the same as its value; `nil` if it holds something else.
    ///
    /// - Throws: ``StoreError/corrupt(_:)`` if the column is not there or cannot be read at all.
    init?(_ columns: any StoredColumns, at index: Int) throws
}

extension Storable {
    /// Reads a column by its value.
    public init?(_ columns: any StoredColumns, at index: Int) throws {
        self.init(storedValue: try columns.stored(index))
    }
}

extension Int64: Storable {
    /// An integer.
    public var storedValue: StoredValue { .integer(self) }
    /// Reads an integer within ``InputBounds/storedIntegers``: nothing that is read overflows by a few steps of arithmetic.
    public init?(storedValue: StoredValue) {
        guard case .integer(let value) = storedValue, InputBounds.storedIntegers.contains(value) else { return nil }
        self = value
    }
    /// Reads an integer within ``InputBounds/storedIntegers``.
    public init?(_ columns: any StoredColumns, at index: Int) {
        guard let value = columns.integer(index), InputBounds.storedIntegers.contains(value) else { return nil }
        self = value
    }
}

extension Int: Storable {
    /// An integer.
    public var storedValue: StoredValue { .integer(Int64(self)) }
    /// Reads an integer within ``InputBounds/storedIntegers``.
    public init?(storedValue: StoredValue) {
        guard let value = Int64(storedValue: storedValue) else { return nil }
        self.init(exactly: value)
    }
    /// Reads an integer within ``InputBounds/storedIntegers``.
    public init?(_ columns: any StoredColumns, at index: Int) {
        guard let value = Int64(columns, at: index) else { return nil }
        self.init(exactly: value)
    }
}

extension Bool: Storable {
    /// 0 or 1.
    public var storedValue: StoredValue { .integer(self ? 1 : 0) }
    /// Reads 0 or 1.
    public init?(storedValue: StoredValue) {
        switch storedValue {
        case .integer(0): self = false
        case .integer(1): self = true
        default: return nil
        }
    }
    /// Reads 0 or 1.
    public init?(_ columns: any StoredColumns, at index: Int) {
        switch columns.integer(index) {
        case 0: self = false
        case 1: self = true
        default: return nil
        }
    }
}

extension String: Storable {
    /// Text.
    public var storedValue: StoredValue { .text(self) }
    /// Reads text.
    public init?(storedValue: StoredValue) {
        guard case .text(let value) = storedValue else { return nil }
        self = value
    }
    /// Reads text.
    public init?(_ columns: any StoredColumns, at index: Int) throws {
        guard let value = try columns.text(index) else { return nil }
        self = value
    }
}

extension [UInt8]: Storable {
    /// Bytes.
    public var storedValue: StoredValue { .blob(self) }
    /// Reads bytes.
    public init?(storedValue: StoredValue) {
        guard case .blob(let value) = storedValue else { return nil }
        self = value
    }
    /// Reads bytes.
    public init?(_ columns: any StoredColumns, at index: Int) {
        guard let value = columns.bytes(index) else { return nil }
        self = value
    }
}

extension Optional: Storable where Wrapped: Storable {
    /// The value, or null.
    public var storedValue: StoredValue { self?.storedValue ?? .null }
    /// Reads a value or null.
    public init?(storedValue: StoredValue) {
        if storedValue == .null {
            self = .none
        } else {
            guard let value = Wrapped(storedValue: storedValue) else { return nil }
            self = .some(value)
        }
    }
    /// Reads a value or null.
    public init?(_ columns: any StoredColumns, at index: Int) throws {
        if try columns.isNull(index) {
            self = .none
        } else {
            guard let value = try Wrapped(columns, at: index) else { return nil }
            self = .some(value)
        }
    }
}

extension Instant: Storable {
    /// Milliseconds.
    public var storedValue: StoredValue { .integer(milliseconds) }
    /// Reads milliseconds within ``InputBounds/storedIntegers``.
    public init?(storedValue: StoredValue) {
        guard let value = Int64(storedValue: storedValue) else { return nil }
        self.init(milliseconds: value)
    }
    /// Reads milliseconds within ``InputBounds/storedIntegers``.
    public init?(_ columns: any StoredColumns, at index: Int) {
        guard let value = Int64(columns, at: index) else { return nil }
        self.init(milliseconds: value)
    }
}

extension LowercaseUUID: Storable {
    /// 36 lower-case characters.
    public var storedValue: StoredValue { .text(description) }
    /// Reads a UUID.
    public init?(storedValue: StoredValue) {
        guard case .text(let value) = storedValue else { return nil }
        self.init(value)
    }
    /// Reads a UUID.
    public init?(_ columns: any StoredColumns, at index: Int) throws {
        guard let value = try columns.text(index) else { return nil }
        self.init(value)
    }
}

extension Storable where Self: RawRepresentable, RawValue: Storable {
    /// The raw value.
    public var storedValue: StoredValue { rawValue.storedValue }
    /// Reads the raw value.
    public init?(storedValue: StoredValue) {
        guard let raw = RawValue(storedValue: storedValue) else { return nil }
        self.init(rawValue: raw)
    }
    /// Reads the raw value.
    public init?(_ columns: any StoredColumns, at index: Int) throws {
        guard let raw = try RawValue(columns, at: index) else { return nil }
        self.init(rawValue: raw)
    }
}
