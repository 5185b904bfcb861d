public import OfferModel

/// The terms of a bulk import; two runs with the same terms are one, so an interrupted one goes on.
public struct ImportTerms: Sendable, Hashable {
    /// The kind of source, such as `transactions`: at most one import of a kind is open in a scope.
    public var source: String
    /// Its source: `operator` or `receipt`, never proven.
    public var provenance: Provenance
    /// 32 bytes of what is read and how it is read, so that another file is never taken for the rest of this one.
    public var digest: [UInt8]
    /// The instant up to which the operator calls the source complete, if any.
    public var completeAsOf: Instant?

    public init(source: String, provenance: Provenance, digest: [UInt8], completeAsOf: Instant? = nil) {
        self.source = source
        self.provenance = provenance
        self.digest = digest
        self.completeAsOf = completeAsOf
    }
}

public enum ImportStage: String, Sendable, Hashable, CaseIterable, Storable {
    case staging
    /// Staged rows become history, subscription by subscription in the order of their ids.
    case applying
    /// The operator's word that nothing is missing is noted.
    case stating
    case closing
    case closed
}

public struct ImportCounts: Sendable, Hashable {
    public var lines: Int64 = 0
    public var refused: Int64 = 0
    /// Refused lines that may have told of a purchase in this app and environment.
    public var gaps: Int64 = 0
    public var staged: Int64 = 0
    public var applied: Int64 = 0
    public var added: Int64 = 0
    /// Payloads that are a newer view of something known before.
    public var updated: Int64 = 0
    /// Payloads known before, or older than what was known.
    public var unchanged: Int64 = 0
    /// Payloads whose id stood further up in the same source.
    public var repeated: Int64 = 0
    /// Subscriptions applied, and app transactions without one.
    public var subscriptions: Int64 = 0
    /// Customers whose history was noted as complete.
    public var stated: Int64 = 0

    public init() {}
}

public struct ImportRun: Sendable, Hashable {
    public var number: Int64
    public var terms: ImportTerms
    public var beganAt: Instant
    public var stage: ImportStage
    public var position: Int64
    /// The staged row that was applied last, in the order of subscriptions.
    public var cursor: ImportCursor
    public var counts: ImportCounts
    /// The refusals and customers of its report, as JSON, once they were reported; the rows they were counted from are
    /// removed after that.
    public var report: String?
}

/// A place among staged rows in the order in which they are applied.
public struct ImportCursor: Sendable, Hashable {
    /// The id of the subscription, or of the Apple Account where there is none.
    public var key: String
    public var row: Int64

    public static let start = ImportCursor(key: "", row: 0)

    public init(key: String, row: Int64) {
        self.key = key
        self.row = row
    }
}

public struct StagedPayload: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, Storable {
        case transaction
        case renewalInfo
        case appTransaction
    }

    /// The key of the rows that are applied together: the `originalTransactionId`, or the `appTransactionId` of an app
    /// transaction.
    public var key: String
    /// Where it stood in the source, from 1.
    public var line: Int64
    public var kind: Kind
    public var payload: [UInt8]
    public var appAccountToken: AppAccountToken?
    public var customerId: CustomerId?

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

    public var aliases: [CustomerAlias] {
        (appAccountToken.map { [.appAccountToken($0)] } ?? []) + (customerId.map { [.customerId($0)] } ?? [])
    }
}

public struct StagedRow: Sendable, Hashable {
    public var cursor: ImportCursor
    public var staged: StagedPayload
}

public struct RefusedLine: Sendable, Hashable {
    public var line: Int64
    /// The kind of reason under which refusals are counted.
    public var reason: String
    public var detail: String

    public init(line: Int64, reason: String, detail: String) {
        self.line = line
        self.reason = reason
        self.detail = detail
    }
}
