/// A string that names one kind of thing, so that a product can never be passed where an offer is meant.
///
/// Two identifiers are equal when their UTF-8 bytes are: Swift's own string equality treats differently encoded accents
/// as equal, which neither the App Store nor the database does.
public struct Identifier<Kind>: RawRepresentable, Sendable {
    public let rawValue: String

    /// Keeps the text as it is, but a `customerId` that is a UUID in lower case: apps write theirs in either, and it is
    /// the same customer.
    public init(rawValue: String) {
        let isCustomer = (Kind.self as Any.Type) == IdentifierKind.Customer.self
        self.rawValue = isCustomer ? LowercaseUUID(rawValue)?.description ?? rawValue : rawValue
    }

    public init(_ rawValue: String) {
        self.init(rawValue: rawValue)
    }
}

extension Identifier: Hashable, Comparable {
    @inlinable
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.hasSameBytes(as: right.rawValue)
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue.bytesPrecede(right.rawValue)
    }

    public func hash(into hasher: inout Hasher) {
        rawValue.hashBytes(into: &hasher)
    }
}

extension Identifier: CustomStringConvertible, ExpressibleByStringLiteral, Codable {
    public var description: String { rawValue }

    public init(stringLiteral value: String) {
        self.init(value)
    }
}

public enum IdentifierKind {
    public enum Bundle {}
    public enum Product {}
    public enum SubscriptionGroup {}
    public enum Offer {}
    public enum AppleOffer {}
    public enum Transaction {}
    public enum AppTransaction {}
    public enum Customer {}
    public enum Key {}
}

public typealias BundleId = Identifier<IdentifierKind.Bundle>
public typealias ProductId = Identifier<IdentifierKind.Product>
public typealias SubscriptionGroupId = Identifier<IdentifierKind.SubscriptionGroup>
/// Our own stable name of an offer in the catalog.
public typealias OfferId = Identifier<IdentifierKind.Offer>
/// Apple's name of an offer, as set in App Store Connect.
public typealias OfferIdentifier = Identifier<IdentifierKind.AppleOffer>
/// Apple's `transactionId` or `originalTransactionId`; the latter identifies a subscription.
public typealias TransactionId = Identifier<IdentifierKind.Transaction>
/// Apple's `appTransactionId`: one Apple Account in one app, present even without purchases.
public typealias AppTransactionId = Identifier<IdentifierKind.AppTransaction>
/// The app's own name of a customer: an alias, never proof.
public typealias CustomerId = Identifier<IdentifierKind.Customer>
/// The identifier of an In-App Purchase key in App Store Connect.
public typealias KeyId = Identifier<IdentifierKind.Key>

/// The text that replaces an erased one (docs/ledger.md).
public enum Redacted {
    /// Its prefix, followed by a digest. User input may not begin with it: the audit would take it for erased text
    /// without an erasure event.
    public static let prefix = "hmac-sha256:"
}

extension StringProtocol {
    /// Whether both are the same UTF-8 bytes. By `==`, texts of different bytes are the same if they look the same.
    @inlinable
    public func hasSameBytes(as other: some StringProtocol) -> Bool { haveSameBytes(self, other) }
}

extension String {
    /// The same, sooner for identifiers, which are compared for every row of a history.
    @inlinable
    public func hasSameBytes(as other: String) -> Bool { isStoredLike(other) || haveSameBytes(self, other) }

    /// Whether both are the same to the bit, as short texts and copies of a long one are, however they are stored. A
    /// different representation proves nothing.
    @inlinable
    func isStoredLike(_ other: String) -> Bool {
        let (own, other) = (
            unsafeBitCast(self, to: (UInt64, UInt64).self), unsafeBitCast(other, to: (UInt64, UInt64).self)
        )
        return own == other
    }

    func bytesPrecede(_ other: String) -> Bool {
        utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { own.lexicographicallyPrecedes($0) }
        }.flatMap(\.self) ?? utf8.lexicographicallyPrecedes(other.utf8)
    }

    func hashBytes(into hasher: inout Hasher) {
        hasher.combine(utf8.count)
        if utf8.withContiguousStorageIfAvailable({ hasher.combine(bytes: UnsafeRawBufferPointer($0)) }) == nil {
            for byte in utf8 { hasher.combine(byte) }
        }
    }
}

/// A loop over `utf8` costs several times as much as one over its storage.
@inlinable
func haveSameBytes(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    return left.utf8.withContiguousStorageIfAvailable { own in
        right.utf8.withContiguousStorageIfAvailable {
            isSame(UnsafeRawBufferPointer(own), UnsafeRawBufferPointer($0))
        }
    }.flatMap(\.self) ?? left.utf8.elementsEqual(right.utf8)
}

/// Whether two texts of the same length are the same, eight bytes at a time.
@usableFromInline
func isSame(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    while place + 8 <= left.count {
        let (own, other) = (
            left.loadUnaligned(fromByteOffset: place, as: UInt64.self),
            right.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        )
        if own != other { return false }
        place += 8
    }
    while place < left.count {
        if left[place] != right[place] { return false }
        place += 1
    }
    return true
}
