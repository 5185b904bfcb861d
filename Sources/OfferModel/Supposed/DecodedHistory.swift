/// A payload read from JSON that nobody has signed, with its text.
public struct DecodedPayload<Payload: Sendable & Hashable>: Sendable, Hashable {
    /// What it says.
    public var payload: Payload
    /// The JSON text; it settles ties between equal dates (docs/design.md#history-and-state).
    public var bytes: [UInt8]

    /// A payload with its text.
    public init(_ payload: Payload, bytes: [UInt8]) {
        self.payload = payload
        self.bytes = bytes
    }
}

/// The payloads of a ``SuppliedHistory``, read and found to be of one app and environment.
public struct DecodedHistory: Sendable, Hashable {
    /// Transactions.
    public var transactions: [DecodedPayload<Transaction>]
    /// Renewal info.
    public var renewalInfos: [DecodedPayload<RenewalInfo>]
    /// The app transaction.
    public var appTransaction: DecodedPayload<AppTransaction>?

    /// A history by its payloads.
    public init(
        transactions: [DecodedPayload<Transaction>] = [], renewalInfos: [DecodedPayload<RenewalInfo>] = [],
        appTransaction: DecodedPayload<AppTransaction>? = nil
    ) {
        self.transactions = transactions
        self.renewalInfos = renewalInfos
        self.appTransaction = appTransaction
    }
}
