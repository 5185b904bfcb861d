public import OfferModel

/// The store's own number of a customer; it never leaves the service.
public struct CustomerNumber: RawRepresentable, Sendable, Hashable, Comparable, Storable {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// An identifier that Apple signs: it names at most one customer of a scope (docs/design.md#identity).
public enum ProvenIdentifier: Sendable, Hashable {
    case originalTransactionId(TransactionId)
    case appTransactionId(AppTransactionId)

    var kind: String { parts.kind }
    var value: String { parts.value }

    private var parts: (kind: String, value: String) {
        switch self {
        case .originalTransactionId(let id): ("originalTransactionId", id.rawValue)
        case .appTransactionId(let id): ("appTransactionId", id.rawValue)
        }
    }

    /// `nil` for a kind that Apple does not sign.
    init?(kind: String, value: String) {
        switch kind {
        case "originalTransactionId": self = .originalTransactionId(TransactionId(value))
        case "appTransactionId": self = .appTransactionId(AppTransactionId(value))
        default: return nil
        }
    }
}

/// A name the app gives its customers: it may name several, and never merges them (docs/design.md#identity).
public enum CustomerAlias: Sendable, Hashable {
    /// The UUID that the app gave StoreKit for one of its accounts.
    case appAccountToken(AppAccountToken)
    case customerId(CustomerId)

    public var kind: String { parts.kind }
    var value: String { parts.value }

    private var parts: (kind: String, value: String) {
        switch self {
        case .appAccountToken(let token): ("appAccountToken", token.description)
        case .customerId(let id): ("customerId", id.rawValue)
        }
    }
}

public struct StoredCustomer: Sendable, Hashable {
    public var number: CustomerNumber
    /// The identifier the customer was first stored under; decides rollouts (docs/design.md#decisions).
    public var rolloutKey: String
    public var firstStoredAt: Instant
    public var originalTransactionIds: [TransactionId]
    /// Apple Accounts; nearly always one.
    public var appTransactionIds: [AppTransactionId]
    public var appAccountTokens: [AppAccountToken]
    public var customerIds: [CustomerId]
}

/// The version of everything an answer depends on: equal versions mean that nothing has changed in between
/// (docs/design.md#issuing).
public struct SubjectVersion: Sendable, Hashable {
    /// The newest change of each customer, as a number of the store-wide order.
    public let changes: [CustomerNumber: Int64]

    public var customers: [CustomerNumber] { changes.keys.sorted() }
}

/// Where an identifier comes from, as ``SourcedIdentifier`` shows it.
struct IdentifierSource {
    var provenance: Provenance
    var transactionId: TransactionId?
    var requestId: LowercaseUUID?
}

extension IdentifierSource {
    init(_ payload: HistoryPayload) {
        provenance = payload.provenance
        switch payload.content {
        case .transaction(let transaction): transactionId = transaction.transactionId
        case .renewalInfo(let info): transactionId = info.originalTransactionId
        case .appTransaction: transactionId = nil
        }
    }
}

/// Why two customers are one: the identifiers that one payload of Apple's names together (docs/design.md#identity).
public struct MergeProof: Sendable, Hashable {
    public let identifiers: [ProvenIdentifier]
    /// The transaction whose payload it is, or of renewal info the subscription; absent for an app transaction.
    public let transactionId: TransactionId?
    public let provenance: Provenance

    init(_ identifiers: [ProvenIdentifier], _ source: IdentifierSource) {
        self.identifiers = identifiers
        transactionId = source.transactionId
        provenance = source.provenance
    }

    /// Reads what a row of `customer_merge` holds; `nil` if that was erased.
    init?(text: String) {
        guard let list = StoredTextList(json: text) else { return nil }
        var identifiers: [ProvenIdentifier] = []
        var transactionId: TransactionId?
        var provenance: Provenance?
        for text in list.texts {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "transactionId": transactionId = TransactionId(parts[1])
            case "provenance": provenance = Provenance(rawValue: parts[1])
            default: identifiers += [ProvenIdentifier(kind: parts[0], value: parts[1])].compactMap(\.self)
            }
        }
        guard let provenance else { return nil }
        self.identifiers = identifiers
        self.transactionId = transactionId
        self.provenance = provenance
    }

    var stored: StoredTextList {
        StoredTextList(
            identifiers.map { "\($0.kind)=\($0.value)" } + (transactionId.map { ["transactionId=\($0)"] } ?? [])
                + ["provenance=\(provenance.rawValue)"])
    }
}
