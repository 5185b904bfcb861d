import OfferModel
import OfferStore

/// What the App Store Server API gave of one Apple Account, verified.
struct FetchedAccount: Sendable {
    private var parts: [VerifiedDelivery] = []
    /// What was not believed, each with the answer it stood in.
    private(set) var refused: [RefusedData] = []
    /// Whether a history ended before Apple's did.
    var hasMorePages = false

    /// The payloads to keep, each once.
    var payloads: [HistoryPayload] {
        var seen = Set<HistoryPayload>()
        return parts.flatMap(\.payloads).filter { seen.insert($0).inserted }
    }

    /// The identifiers that the payloads prove.
    var proven: [ProvenIdentifier] { parts.flatMap(\.proven) }

    /// The newest date of what was verified to Apple's own root.
    var newestDateOfApple: Instant? { parts.compactMap(\.newestDateOfApple).max() }

    /// Every transaction.
    var transactions: [Transaction] {
        parts.flatMap(\.payloads).compactMap { payload in
            guard case .transaction(let transaction) = payload.content else { return nil }
            return transaction
        }
    }

    /// The subscriptions and other purchases in it.
    var subscriptions: Set<TransactionId> { Set(transactions.map(\.originalTransactionId)) }

    /// The Apple Accounts that its transactions name.
    var namedAppTransactionIds: Set<AppTransactionId> { Set(transactions.compactMap(\.appTransactionId)) }

    /// Adds an answer of Apple's.
    ///
    /// - Parameter name: what the places of refused data begin with.
    mutating func add(_ part: VerifiedDelivery, of name: String) {
        parts.append(part)
        refused += part.refused.map { RefusedData(pointer: "/\(name)\($0.pointer)", refusal: $0.refusal) }
    }
}

/// What became of an account's data in the one transaction that keeps it.
struct KeptAccount: Sendable {
    /// Whose it is.
    var owners: [CustomerNumber] = []
    var transactions = OutcomeCounts()
    var renewalInfos = OutcomeCounts()
    var appTransactions = OutcomeCounts()
    var refused: [RefusedData] = []
    var gaps: [RefreshGap] = []
    /// The purchases that were part of Apple's answer.
    var subscriptions: Set<TransactionId> = []
    /// The Apple Accounts that were part of it.
    var appTransactionIds: Set<AppTransactionId> = []

    /// Counts what became of each payload, and of what was refused before.
    mutating func count(_ outcomes: some Sequence<(HistoryPayload, IngestOutcome)>) {
        for (payload, outcome) in outcomes {
            switch payload.content {
            case .transaction: transactions.add(outcome)
            case .renewalInfo: renewalInfos.add(outcome)
            case .appTransaction: appTransactions.add(outcome)
            }
        }
        for refusal in refused {
            switch refusal.pointer.split(separator: "/").dropFirst().first {
            case "signedTransactions": transactions.add(.refused)
            case "signedRenewalInfo": renewalInfos.add(.refused)
            default: appTransactions.add(.refused)
            }
        }
    }
}
