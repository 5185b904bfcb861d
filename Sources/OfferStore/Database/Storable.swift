import JSON
public import OfferModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

public protocol Storable {
    /// The type of a column of such values.
    static var storedType: StoredType { get }
    /// Whether a column of such values may be null.
    static var isOptional: Bool { get }
    var storedValue: StoredValue { get }
    /// Reads a column; `nil` if it holds something else.
    ///
    /// - Throws: ``StoreError/corrupt(_:)`` if the column is not there or cannot be read at all.
    init?(_ columns: any StoredColumns, at index: Int) throws
}

extension Storable {
    public static var isOptional: Bool { false }
}

extension Int64: Storable {
    public static var storedType: StoredType { .integer }
    public var storedValue: StoredValue { .integer(self) }
    public init?(_ columns: any StoredColumns, at index: Int) {
        guard let value = columns.integer(index), InputBounds.storedIntegers.contains(value) else { return nil }
        self = value
    }
}

extension Int: Storable {
    public static var storedType: StoredType { .integer }
    public var storedValue: StoredValue { .integer(Int64(self)) }
    public init?(_ columns: any StoredColumns, at index: Int) {
        guard let value = Int64(columns, at: index) else { return nil }
        self.init(exactly: value)
    }
}

extension Bool: Storable {
    public static var storedType: StoredType { .integer }
    public var storedValue: StoredValue { .integer(self ? 1 : 0) }
    public init?(_ columns: any StoredColumns, at index: Int) {
        switch columns.integer(index) {
        case 0: self = false
        case 1: self = true
        default: return nil
        }
    }
}

extension String: Storable {
    public static var storedType: StoredType { .text }
    public var storedValue: StoredValue { .text(self) }
    public init?(_ columns: any StoredColumns, at index: Int) throws {
        guard let value = try columns.text(index) else { return nil }
        self = value
    }
}

extension [UInt8]: Storable {
    public static var storedType: StoredType { .blob }
    public var storedValue: StoredValue { .blob(self) }
    public init?(_ columns: any StoredColumns, at index: Int) {
        guard let value = columns.bytes(index) else { return nil }
        self = value
    }
}

extension Optional: Storable where Wrapped: Storable {
    public static var storedType: StoredType { Wrapped.storedType }
    public static var isOptional: Bool { true }
    public var storedValue: StoredValue { self?.storedValue ?? .null }
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
    public static var storedType: StoredType { .integer }
    public var storedValue: StoredValue { .integer(milliseconds) }
    public init?(_ columns: any StoredColumns, at index: Int) {
        guard let value = Int64(columns, at: index) else { return nil }
        self.init(milliseconds: value)
    }
}

extension LowercaseUUID: Storable {
    public static var storedType: StoredType { .text }
    public var storedValue: StoredValue { .text(description) }
    public init?(_ columns: any StoredColumns, at index: Int) throws {
        guard let value = try columns.text(index) else { return nil }
        self.init(value)
    }
}

extension Storable where Self: RawRepresentable, RawValue: Storable {
    public static var storedType: StoredType { RawValue.storedType }
    public var storedValue: StoredValue { rawValue.storedValue }
    public init?(_ columns: any StoredColumns, at index: Int) throws {
        guard let raw = try RawValue(columns, at: index) else { return nil }
        self.init(rawValue: raw)
    }
}

/// A value of whatever type a column has; no table declares one by it.
extension StoredValue: Storable {
    public static var storedType: StoredType { .blob }
    public var storedValue: StoredValue { self }
    public init?(_ columns: any StoredColumns, at index: Int) throws { self = try columns.stored(index) }
}

// Each of these is stored as its raw value; Apple's open types keep values that are not known yet.

extension Identifier: Storable {}
extension AppStoreEnvironment: Storable {}
extension Provenance: Storable {}
extension TransactionType: Storable {}
extension InAppOwnershipType: Storable {}
extension TransactionOfferType: Storable {}
extension OfferDiscountType: Storable {}
extension TransactionReason: Storable {}
extension RevocationType: Storable {}
extension ExpirationIntent: Storable {}
extension AutoRenewStatus: Storable {}
extension SubscriptionStatus: Storable {}
extension PriceIncreaseStatus: Storable {}
extension BillingPlanType: Storable {}
extension AdditionalTransactionReason: Storable {}
extension OfferType: Storable {}
extension Role: Storable {}
extension Delivery: Storable {}
extension Outcome: Storable {}

/// A list of texts in one column, as a JSON array: for lists that are read whole and never searched.
struct StoredTextList: Storable {
    static var storedType: StoredType { .text }

    let texts: [String]

    init(_ texts: [String]) {
        self.texts = texts
    }

    var json: String {
        // Not by a coder, which could throw: a list must never be stored as an empty one.
        var json = JSONWriter(escapes: .hexadecimal)
        json.array(texts) { $0.text($1) }
        return json.text
    }

    var storedValue: StoredValue { .text(json) }

    init?(_ columns: any StoredColumns, at index: Int) throws {
        guard let json = try columns.text(index) else { return nil }
        self.init(json: json)
    }

    init?(json: String) {
        // Nearly every list is empty, and JSON coders are slow.
        if json == "[]" {
            texts = []
        } else {
            guard let texts = try? JSONDecoder().decode([String].self, from: Data(json.utf8)) else { return nil }
            self.texts = texts
        }
    }
}
