import OfferAPI
import OfferModel
import OfferStore

/// The decisions that are possible for imported customers, at the end of an import.
public struct ImportedCustomers: Sendable, Hashable {
    public var count: Int64 = 0
    /// The state of every subscription of theirs is known.
    public var decided: Int64 = 0
    /// The state of a subscription is not known, by the first reason, as decisions name it.
    public var undetermined: [String: Int64] = [:]
    /// Apple has signed nothing of theirs, so that nothing can be signed for them.
    public var unsigned: Int64 = 0
    /// Undetermined or unsigned.
    public var needingApple: Int64 = 0
}

/// The report beside the counts. It is kept with the import before the rows it was made from are removed, so that an import
/// that is interrupted while they are removed reports the same.
struct KeptImportReport: WireObject {
    var refused: [String: Int64] = [:]
    var customers = ImportedCustomers()

    init() {}

    init(refused: [String: Int64], customers: ImportedCustomers) {
        self.refused = refused
        self.customers = customers
    }

    init(_ run: ImportRun) throws {
        guard let kept = try? WireJSON.decode(Self.self, from: Array((run.report ?? "").utf8)) else {
            throw StoreError.corrupt("the report of the import `\(run.number)` cannot be read")
        }
        self = kept
    }

    mutating func visit(_ members: inout some MemberVisitor) {
        members.required("customers", &customers.count)
        members.required("decided", &customers.decided)
        members.required("needingApple", &customers.needingApple)
        members.required("refused", &refused)
        members.required("undetermined", &customers.undetermined)
        members.required("unsigned", &customers.unsigned)
    }
}

extension HistoryImport {
    /// Keeps the report, before the rows it was made from are removed.
    func keep(_ report: KeptImportReport, of run: ImportRun) async throws -> ImportRun {
        var next = run
        next.report = String(decoding: try WireJSON.encode(report), as: UTF8.self)
        let kept = next
        try await ledger.write(by: author) { try ImportStore($0).update(kept, from: run) }
        return kept
    }

    /// Looks at each customer with staged data, once all of it is applied.
    ///
    /// - Parameter needingApple: given the ids of subscriptions whose customer is undetermined or unsigned.
    func outlook(
        of run: ImportRun, needingApple: ([String]) throws -> Void
    ) async throws -> ImportedCustomers {
        var total = ImportedCustomers()
        // Few have more than one subscription, and only these can come up again.
        var seen = Set<CustomerNumber>()
        var last = ""
        while true {
            let after = last
            let batch = try await ledger.read { try outlook(of: run, after: after, $0) }
            guard let end = batch.end else { return total }
            for found in batch.found where found.isAlone || seen.insert(found.customer).inserted { total.count(found) }
            try needingApple(batch.found.filter(\.needsApple).map(\.key))
            last = end
        }
    }

    /// - Returns: also where to read on, known even if no customer was found; `nil` where nothing is left.
    private func outlook(
        of run: ImportRun, after key: String, _ transaction: any StoreTransaction
    ) throws -> (found: [FoundCustomer], end: String?) {
        guard let scope = try ScopeStore(transaction).number(of: self.scope) else { return ([], nil) }
        let now = try clock.instant(transaction)
        let policy = Policy.standard.scaled(for: self.scope.environment)
        let keys = try ImportStore(transaction).keys(of: run, after: key, limit: Self.lookedAtOnce)
        let identifiers = keys.map { ProvenIdentifier.originalTransactionId(TransactionId($0)) }
        let owners = try CustomerStore(transaction).owners(of: identifiers, in: scope)
        // An app transaction without purchases has an Apple Account for a key, and of who was erased nothing is left.
        let owned = zip(keys, identifiers).compactMap { key, identifier in owners[identifier].map { (key, $0) } }
        let histories = try HistoryStore(transaction).histories(of: owned.map { [$0.1] })
        let found = zip(owned, histories).map { owned, history in
            FoundCustomer(key: owned.0, customer: owned.1, history, at: now, policy)
        }
        return (found, keys.last)
    }

    private static let lookedAtOnce = 200
}

private struct FoundCustomer: Sendable {
    var key: String
    var customer: CustomerNumber
    /// Whether it has one subscription.
    var isAlone: Bool
    var reason: ReasonCode?
    var isUnsigned: Bool

    var needsApple: Bool { isUnsigned || reason != nil }

    init(key: String, customer: CustomerNumber, _ history: History, at now: Instant, _ policy: Policy) {
        self.key = key
        self.customer = customer
        isAlone = Set(history.transactions.lazy.map(\.payload.originalTransactionId)).count < 2
        reason = history.subscriptionStates(at: now, policy: policy).compactMap(\.resolution.undeterminedReason).first
        isUnsigned = !history.isProven
    }
}

extension ImportedCustomers {
    fileprivate mutating func count(_ found: FoundCustomer) {
        count += 1
        if let reason = found.reason { undetermined[reason.rawValue, default: 0] += 1 } else { decided += 1 }
        unsigned += found.isUnsigned ? 1 : 0
        needingApple += found.needsApple ? 1 : 0
    }
}
