public import OfferModel

/// A payload on its way through the staging table.
public struct StagedPayload: Sendable, Hashable {
    /// What kind of payload the bytes are.
    public enum Kind: String, Sendable, Hashable, Storable {
        /// A transaction.
        case transaction
        /// How a subscription renews.
        case renewalInfo
        /// That an Apple Account has the app.
        case appTransaction
    }

    /// What is applied together: the `originalTransactionId`, or the `appTransactionId` of an app transaction.
    public var key: String
    /// Where it stood in the source, from 1.
    public var line: Int64
    /// What kind of payload it is.
    public var kind: Kind
    /// Its JSON text.
    public var payload: [UInt8]
    /// An alias that the source gives its customer.
    public var appAccountToken: AppAccountToken?
    /// An alias that the source gives its customer.
    public var customerId: CustomerId?

    /// A payload by its parts.
    public init(
        key: String, line: Int64, kind: Kind, payload: [UInt8], appAccountToken: AppAccountToken? = nil,
        customerId: CustomerId? = nil
    ) {
        self.key = key
        self.line = line
        self.kind = kind
        self.payload = payload
        self.appAccountToken = appAccountToken
        self.customerId = customerId
    }

    /// The aliases that the source gives its customer.
    public var aliases: [CustomerAlias] {
        (appAccountToken.map { [.appAccountToken($0)] } ?? []) + (customerId.map { [.customerId($0)] } ?? [])
    }
}

/// A staged payload with its place in the order of applying.
public struct StagedRow: Sendable, Hashable {
    /// Its place.
    public var cursor: ImportCursor
    /// What was staged.
    public var staged: StagedPayload
}

/// A line of a source that was not taken.
public struct RefusedLine: Sendable, Hashable {
    /// Where it stands, from 1.
    public var line: Int64
    /// A word for the kind of reason, by which refusals are counted.
    public var reason: String
    /// The reason, for people.
    public var detail: String

    /// A refusal by its parts.
    public init(line: Int64, reason: String, detail: String) {
        self.line = line
        self.reason = reason
        self.detail = detail
    }
}
