import FoundationEssentials
public import OfferModel

/// Reads legacy verifyReceipt answers into the payloads that Apple signs today, for one app and environment.
///
/// Nobody signs an answer: whoever imports it vouches for it (provenance `receipt`), and signed data of the same
/// transaction outranks it (docs/design.md#history-and-state). Every value may be text, as Apple has it, or the number or boolean that an
/// exporter made of it. An answer is taken whole or not at all.
public struct ReceiptReader: Sendable {
    private let scope: Scope

    /// A reader for one app in one environment.
    public init(scope: Scope) {
        self.scope = scope
    }

    /// How many bytes one answer may have.
    public static let maximumBytes = 16_777_216

    /// Reads one answer, or a wrapper around it:
    /// `{"receipt": {…}, "customerId": …, "appAccountToken": …, "requestDate": …}`.
    ///
    /// - Parameter now: an answer from more than 60 s later is refused.
    /// - Throws: ``ReceiptRefusal`` for an answer that cannot be read, that holds no purchases by its `status`, or that
    ///   is of another app or environment.
    public func read(_ bytes: [UInt8], now: Instant) throws(ReceiptRefusal) -> ReadReceipt {
        let root = try root(bytes)
        let answer: ReceiptAnswer
        do throws(ReceiptProblem) {
            answer = try ReceiptAnswer(root, of: scope, now: now)
        } catch {
            throw ReceiptRefusal([error])
        }
        let purchases = ReceiptPurchases(answer)
        let renewals = ReceiptRenewals(answer, transactions: purchases.transactions)
        let problems = purchases.problems + renewals.problems
        guard problems.isEmpty else { throw ReceiptRefusal(problems) }
        return ReadReceipt(
            transactions: purchases.transactions, renewalInfos: renewals.renewalInfos, customerId: answer.customerId,
            appAccountToken: answer.appAccountToken, skippedPurchases: purchases.skipped)
    }

    private func root(_ bytes: [UInt8]) throws(ReceiptRefusal) -> ReceiptNode {
        guard bytes.count <= Self.maximumBytes else {
            let detail = "the answer has \(bytes.count) bytes, more than \(Self.maximumBytes)"
            throw ReceiptRefusal([ReceiptProblem(.tooLong, path: "", detail: detail)])
        }
        guard let value = try? JSONDecoder().decode(ReceiptValue.self, from: Data(bytes)) else {
            let detail = "the answer is not JSON, or is nested too deeply"
            throw ReceiptRefusal([ReceiptProblem(.malformed, path: "", detail: detail)])
        }
        return ReceiptNode(value)
    }
}

/// What one verifyReceipt answer says.
public struct ReadReceipt: Sendable, Hashable {
    /// The subscriptions' transactions, each once.
    public var transactions: [Transaction]
    /// How they renew.
    public var renewalInfos: [RenewalInfo]
    /// The app's own name for the customer, from the wrapper.
    public var customerId: CustomerId?
    /// The app's account, from the wrapper.
    public var appAccountToken: AppAccountToken?
    /// How many purchases were of no subscription; they are not kept.
    public var skippedPurchases: Int

    /// What an answer says, by its parts.
    public init(
        transactions: [Transaction], renewalInfos: [RenewalInfo],
        customerId: CustomerId? = nil, appAccountToken: AppAccountToken? = nil, skippedPurchases: Int = 0
    ) {
        self.transactions = transactions
        self.renewalInfos = renewalInfos
        self.customerId = customerId
        self.appAccountToken = appAccountToken
        self.skippedPurchases = skippedPurchases
    }
}
