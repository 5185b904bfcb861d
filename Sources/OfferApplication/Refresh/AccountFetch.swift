import AppStoreData
import AppStoreServer
import OfferAPI
import OfferModel
import OfferStore

/// Asks the App Store Server API for everything of one Apple Account, and verifies it as everything else is (invariant
/// 6).
struct AccountFetch: Sendable {
    let client: AppStoreServerClient
    let reader: SignedDataReader
    /// Read for each answer: waiting for Apple can take longer than its data may be ahead of a clock.
    let clock: RequestClock

    /// Fetches the whole history, the renewal info of each subscription, and an app transaction that is not known yet.
    ///
    /// - Throws: ``RequestError`` if Apple knows no customer by any of the ids, or gives no answer that can be used;
    ///   then nothing of it counts.
    func fetch(_ account: AskedAccount) async throws(RequestError) -> FetchedAccount {
        var fetched = FetchedAccount()
        // An import may have brought ids that are none of Apple's.
        let answered = try await addHistory(byFirstKnownOf: account.ids.filter(PathIdentifier.allows), to: &fetched)
        // One history is all of an Apple Account's. A subscription that is missing in it is asked for by its own id.
        for id in account.subscriptions.sorted()
        where !fetched.subscriptions.contains(id) && id.rawValue != answered && PathIdentifier.allows(id.rawValue) {
            do throws(RequestError) {
                try await addHistory(of: id.rawValue, to: &fetched)
            } catch .unknownToAppStore {
                continue
            }
        }
        try await addAppTransactions(account, answered: answered, to: &fetched)
        return fetched
    }

    private func addHistory(
        byFirstKnownOf ids: [String], to fetched: inout FetchedAccount
    ) async throws(RequestError) -> String {
        var unknown = RequestError.unknownToAppStore(
            detail: "no identifier of the customer that Apple accepts is known",
            hint: "name an order by its id, or a transaction by its `originalTransactionId`")
        for id in ids {
            do throws(RequestError) {
                try await addHistory(of: id, to: &fetched)
                return id
            } catch .unknownToAppStore(let detail, let hint) {
                unknown = .unknownToAppStore(detail: detail, hint: hint)
            }
        }
        throw unknown
    }

    private func addHistory(of id: String, to fetched: inout FetchedAccount) async throws(RequestError) {
        let history: TransactionHistoryPage = try await ask(id) { () throws(AppStoreServerError) in
            try await client.transactionHistory(of: id)
        }
        let transactions = await verified(SignedDelivery(signedTransactions: history.signedTransactions))
        fetched.add(transactions, of: "history")
        if history.hasMore { fetched.hasMorePages = true }
        let purchase = transactions.payloads.lazy.compactMap(\.content.transaction).first { $0.expiresDate != nil }
        guard let subscription = purchase?.originalTransactionId.rawValue else { return }
        let statuses: SubscriptionStatuses = try await ask(subscription) { () throws(AppStoreServerError) in
            try await client.subscriptionStatuses(of: subscription)
        }
        fetched.add(
            await verified(
                SignedDelivery(
                    signedTransactions: statuses.lastTransactions.map(\.signedTransactionInfo),
                    signedRenewalInfo: statuses.lastTransactions.compactMap(\.signedRenewalInfo))),
            of: "statuses")
    }

    /// An app transaction never changes, so a known one is not requested. One that no transaction names
    /// would be a customer of its own, so it is asked for only where its own id is all there is.
    private func addAppTransactions(
        _ account: AskedAccount, answered id: String, to fetched: inout FetchedAccount
    ) async throws(RequestError) {
        let named = fetched.namedAppTransactionIds
        let wanted = named.isEmpty && fetched.transactions.isEmpty ? [AppTransactionId(id)] : named
        guard !wanted.subtracting(account.appTransactionIds).isEmpty else { return }
        do throws(RequestError) {
            let signed: String = try await ask(id) { () throws(AppStoreServerError) in
                try await client.signedAppTransaction(of: id)
            }
            fetched.add(await verified(SignedDelivery(signedAppTransaction: signed)), of: "appTransaction")
        } catch .unknownToAppStore {
            // Apple has none of purchases made before there were any.
            return
        }
    }

    private func verified(_ delivery: SignedDelivery) async -> VerifiedDelivery {
        await VerifiedDelivery(delivery, reader: reader, now: clock.wallClock(), provenance: .serverAPI)
    }

    /// One call. What Apple knows in the other environment alone is not known here: an environment never takes in
    /// another's data.
    private func ask<Value: Sendable>(
        _ id: String, _ call: () async throws(AppStoreServerError) -> AppStoreAnswer<Value>
    ) async throws(RequestError) -> Value {
        let answer: AppStoreAnswer<Value>
        do throws(AppStoreServerError) {
            answer = try await call()
        } catch {
            throw error.requestError(at: clock.wallClock())
        }
        let home = client.home.host.environment
        guard answer.environment == home else {
            throw .unknownToAppStore(
                detail: "`\(id)` is of \(answer.environment.rawValue), not of \(home.rawValue)",
                hint: "ask with a key of \(answer.environment.rawValue)")
        }
        return answer.value
    }
}

/// The verified data of one Apple Account from the App Store Server API.
struct FetchedAccount: Sendable {
    private var parts: [VerifiedDelivery] = []
    /// The items that could not be verified, each with the answer that held it.
    private(set) var refused: [RefusedData] = []
    /// Whether a history ended before Apple's did.
    var hasMorePages = false

    var payloads: [HistoryPayload] {
        var seen = Set<HistoryPayload>()
        return parts.flatMap(\.payloads).filter { seen.insert($0).inserted }
    }

    var proven: [ProvenIdentifier] { parts.flatMap(\.proven) }

    var newestDateOfApple: Instant? { parts.compactMap(\.newestDateOfApple).max() }

    var transactions: [Transaction] { parts.flatMap(\.payloads).compactMap(\.content.transaction) }

    var transactionIds: Set<TransactionId> { Set(transactions.map(\.transactionId)) }

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

/// The outcome of an account's data in the one transaction that keeps it.
struct KeptAccount: Sendable {
    var owners: [CustomerNumber] = []
    var transactions = RefreshReport.Counts()
    var renewalInfos = RefreshReport.Counts()
    var appTransactions = RefreshReport.Counts()
    var refused: [RefusedData] = []
    var gaps: [RefreshGap] = []
    /// The purchases that were part of Apple's answer.
    var subscriptions: Set<TransactionId> = []
    /// The Apple Accounts that were part of it.
    var appTransactionIds: Set<AppTransactionId> = []

    /// Counts the outcome of each payload, and what was refused before.
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
