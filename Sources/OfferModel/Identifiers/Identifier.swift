/// A string that names one kind of thing, so that a product can never be passed where an offer is meant.
///
/// Two identifiers are equal when their UTF-8 bytes are: Swift's own string equality treats differently encoded accents
/// as equal, which neither the App Store nor the database does.
public struct Identifier<Kind>: RawRepresentable, Sendable {
    /// The identifier exactly as it was given.
    public let rawValue: String

    /// Wraps a string without checking or changing it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Wraps a string without checking or changing it.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}

extension Identifier: Hashable, Comparable {
    /// Equality of the UTF-8 bytes.
    @inlinable
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.isSameBytes(as: right.rawValue)
    }

    /// The order of the UTF-8 bytes.
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }

    /// Feeds the UTF-8 bytes, in step with `==`.
    public func hash(into hasher: inout Hasher) {
        rawValue.hashBytes(into: &hasher)
    }
}

extension Identifier: CustomStringConvertible, ExpressibleByStringLiteral, Codable {
    /// The identifier exactly as it was given.
    public var description: String { rawValue }

    /// An identifier written in source.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// Reads a plain string.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes a plain string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// Kinds of identifiers; they have no values.
public enum IdentifierKind {
    /// See ``BundleId``.
    public enum Bundle {}
    /// See ``ProductId``.
    public enum Product {}
    /// See ``SubscriptionGroupId``.
    public enum SubscriptionGroup {}
    /// See ``OfferId``.
    public enum Offer {}
    /// See ``OfferIdentifier``.
    public enum AppleOffer {}
    /// See ``TransactionId``.
    public enum Transaction {}
    /// See ``AppTransactionId``.
    public enum AppTransaction {}
    /// See ``CustomerId``.
    public enum Customer {}
    /// See ``KeyId``.
    public enum Key {}
}

/// An app's bundle identifier, such as `com.example.pro`.
public typealias BundleId = Identifier<IdentifierKind.Bundle>
/// The identifier of a subscription product in App Store Connect.
public typealias ProductId = Identifier<IdentifierKind.Product>
/// Apple's `subscriptionGroupIdentifier`.
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
