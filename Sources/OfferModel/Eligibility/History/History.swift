/// A payload in the history.
///
/// Rows never change, are passed around by the hundred, and a payload has dozens of members: hence a class.
public final class Recorded<Payload: Sendable & Hashable>: Sendable {
    /// The signed or stated payload.
    public let payload: Payload
    /// Settles ties between equal dates: the payload's exact bytes, or where the store has settled them, how.
    public let payloadBytes: [UInt8]
    public let provenance: Provenance
    /// Its position in the store-wide order of arrival; for evidence and replay, never for the current view.
    public let sequence: Int64

    // Inlinable, so that callers put a payload in without asking for its type at run time.
    @inlinable
    public init(payload: Payload, payloadBytes: [UInt8], provenance: Provenance, sequence: Int64) {
        self.payload = payload
        self.payloadBytes = payloadBytes
        self.provenance = provenance
        self.sequence = sequence
    }
}

extension Recorded<Transaction> {
    // A member of the payload that is computed would be asked of a copy of it.
    /// Whether the customer bought it; `nil` for a value Apple added later.
    var isOwned: Bool? {
        payload.inAppOwnershipType.isOwned
    }

    /// Whether it is of a subscription. Old data may lack the type or the group, but only subscriptions have a group or
    /// an expiry.
    var isSubscription: Bool {
        guard let type = payload.type else {
            return payload.subscriptionGroupIdentifier != nil || payload.expiresDate != nil
        }
        return type == .autoRenewableSubscription
    }

    /// Whether what took it back was a refund: not where a share or an assignment ended. `nil` for a kind or a reason
    /// that Apple added later, and where Apple's data has neither; what an operator brings without them is called a
    /// refund there.
    public var isRefund: Bool? {
        switch payload.revocationType {
        case .refundFull?, .refundProrated?: true
        case .familyRevoke?, .assignmentRevoke?: false
        case .some: nil
        case nil:
            switch payload.revocationReason {
            case 0?, 1?: true
            case .some: nil
            case nil: provenance.isProven ? nil : true
            }
        }
    }

    /// Whether nothing was paid for the period; `nil` if neither the offer nor the price tells.
    var isFree: Bool? {
        if let discount = payload.offerDiscountType { return discount == .freeTrial }
        return payload.price.map { $0 == 0 }
    }
}

extension Recorded: Hashable {
    public static func == (left: Recorded, right: Recorded) -> Bool {
        left === right
            || left.sequence == right.sequence && left.provenance == right.provenance
                && left.payloadBytes == right.payloadBytes && left.payload == right.payload
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(sequence)
        hasher.combine(payloadBytes)
    }
}

/// How complete a history is, as of an instant.
public struct Coverage: Sendable, Hashable {
    public enum Level: String, Sendable, Hashable, CaseIterable, Codable, Comparable {
        case none, partial, complete

        public static func < (left: Self, right: Self) -> Bool {
            left != right && (left == .none || right == .complete)
        }
    }

    public var level: Level
    /// When a complete history was fetched or stated.
    public var asOf: Instant?
    public var provenance: Provenance?

    public init(level: Level, asOf: Instant? = nil, provenance: Provenance? = nil) {
        self.level = level
        self.asOf = asOf
        self.provenance = provenance
    }

    public static let none = Coverage(level: .none)
}

/// Everything known of a subject's purchases in one app and environment: every row, in any order, repeats allowed.
///
/// Any order and any repetition of the same rows means the same (invariant 7).
public struct History: Sendable, Hashable {
    public var transactions: [Recorded<Transaction>]
    public var renewalInfos: [Recorded<RenewalInfo>]
    public var appTransactions: [Recorded<AppTransaction>]
    public var coverage: Coverage

    public init(
        transactions: [Recorded<Transaction>] = [], renewalInfos: [Recorded<RenewalInfo>] = [],
        appTransactions: [Recorded<AppTransaction>] = [], coverage: Coverage = .none
    ) {
        self.transactions = transactions
        self.renewalInfos = renewalInfos
        self.appTransactions = appTransactions
        self.coverage = coverage
    }

    /// Whether Apple signed anything of it that names a customer.
    public var isProven: Bool {
        transactions.contains { $0.provenance.isProven }
            || appTransactions.contains { $0.provenance.isProven && $0.payload.appTransactionId != nil }
    }

    /// When Apple signed the newest of it; absent if it signed nothing. A transaction says nothing of a cancellation, so
    /// where there is renewal info, its date counts.
    public var newestSigned: Instant? {
        renewalInfos.lazy.filter(\.provenance.isProven).map(\.payload.signedDate).max()
            ?? transactions.lazy.filter(\.provenance.isProven).map(\.payload.signedDate).max()
    }

    /// The current view of every purchase: what counts of all rows (docs/design.md#history-and-state).
    public var purchases: Purchases { CurrentHistory(self).purchases }
}

extension History {
    /// A history stated by an operator for a "what if": unsigned, and shown as such in evidence.
    ///
    /// - Parameter now: the instant that is decided at; a complete history is complete then.
    public init(_ decoded: DecodedHistory, isComplete: Bool, at now: Instant) {
        self.init(
            transactions: decoded.transactions.map(Recorded.init(stated:)),
            renewalInfos: decoded.renewalInfos.map(Recorded.init(stated:)),
            appTransactions: decoded.appTransaction.map { [Recorded(stated: $0)] } ?? [])
        if isComplete {
            coverage = Coverage(level: .complete, asOf: now, provenance: .operator)
        } else if !transactions.isEmpty || !appTransactions.isEmpty {
            coverage = Coverage(level: .partial)
        }
    }
}

extension Recorded {
    /// It is not stored, so it comes before every stored row in the order of arrival.
    fileprivate convenience init(stated decoded: DecodedPayload<Payload>) {
        self.init(payload: decoded.payload, payloadBytes: decoded.bytes, provenance: .operator, sequence: 0)
    }
}
