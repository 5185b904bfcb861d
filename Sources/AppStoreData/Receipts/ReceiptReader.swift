public import OfferModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads legacy verifyReceipt answers, and the version-1 notifications that repeat them, into the payloads that Apple
/// signs today, for one app and environment.
///
/// An answer is not signed: the importer vouches for it (provenance `receipt`), and signed data of the same
/// transaction outranks it (docs/design.md#history-and-state). Every value may be text, as Apple has it, or the number
/// or boolean that an exporter made of it. An answer is taken whole or not at all.
public struct ReceiptReader: Sendable {
    private let scope: Scope

    public init(scope: Scope) {
        self.scope = scope
    }

    public static let maximumBytes = 16_777_216

    /// Reads one answer or notification, or a wrapper around it:
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
        let problems = purchases.problems + renewals.problems + answer.problems(beside: purchases)
        guard problems.isEmpty else { throw ReceiptRefusal(problems) }
        return ReadReceipt(
            transactions: purchases.transactions, renewalInfos: renewals.renewalInfos, customerId: answer.customerId,
            appAccountToken: answer.appAccountToken, skippedPurchases: purchases.skipped)
    }

    private func root(_ bytes: [UInt8]) throws(ReceiptRefusal) -> ReceiptNode {
        guard bytes.count <= Self.maximumBytes else {
            let detail = "the answer has \(bytes.count) bytes, more than \(Self.maximumBytes)"
            throw ReceiptRefusal([ReceiptProblem(reason: .tooLong, path: "", detail: detail)])
        }
        guard let value = try? JSONDecoder().decode(ReceiptValue.self, from: Data(bytes)) else {
            let other = ReceiptLookalike(text: bytes)
            let detail = other?.detail ?? "the answer is not JSON, or is nested too deeply"
            throw ReceiptRefusal([ReceiptProblem(reason: .malformed, path: "", detail: detail, hint: other?.hint)])
        }
        return ReceiptNode(value)
    }
}

public struct ReadReceipt: Sendable, Hashable {
    public var transactions: [Transaction]
    public var renewalInfos: [RenewalInfo]
    /// The app's own name for the customer, from the wrapper.
    public var customerId: CustomerId?
    public var appAccountToken: AppAccountToken?
    /// How many purchases were of no subscription; they are not kept.
    public var skippedPurchases: Int
}

/// A verifyReceipt answer of the app and environment that is asked for, before its purchases are read.
struct ReceiptAnswer {
    let scope: Scope
    let now: Instant
    /// The app's own name for the customer, from the wrapper.
    var customerId: CustomerId?
    var appAccountToken: AppAccountToken?
    /// Has the lists of purchases and of renewals.
    let root: ReceiptNode
    let receipt: ReceiptNode
    /// The version-1 notification that repeats the answer, if it came with one.
    let notification: ReceiptNotification?
    /// When Apple gave the answer: used as the signing date (decision 0026).
    let answeredAt: Instant
    /// Whether ``answeredAt`` is no more than the last thing that had happened by then.
    let isDatedByEvents: Bool
    /// When the receipt was made, with its `in_app`.
    let createdAt: Instant?

    private static let wrapperMembers: Set<String> = ["appAccountToken", "customerId", "receipt", "requestDate"]
    private static let keepWhole = "export the whole answer of verifyReceipt, with its `receipt`"

    /// Finds the answer in a text's root, which is the answer itself, a notification, or a wrapper around one of them.
    init(_ text: ReceiptNode, of scope: Scope, now: Instant) throws(ReceiptProblem) {
        self.scope = scope
        self.now = now
        guard text.isObject else {
            if let other = ReceiptLookalike(text) { throw other.problem(at: text) }
            throw text.problem(
                "is not a JSON object", .malformed,
                hint: "each answer is a JSON object; put several into JSON Lines, one per line"
            )
        }
        let wrapper = Self.isWrapper(text) ? text : nil
        let whole = try wrapper?.object("receipt") ?? text
        notification = ReceiptNotification.isOne(whole) ? try ReceiptNotification(whole, of: scope) : nil
        root = notification?.root ?? whole
        if let notification {
            receipt = .nothing
            createdAt = nil
            let last = try notification.lastEvent()
            let stated = try wrapper?.date("requestDate")
            if let wrapper, let stated { try Self.check(stated, wrapper, "requestDate", now: now) }
            isDatedByEvents = stated == nil
            answeredAt = stated ?? min(last, now)
        } else {
            receipt = try Self.receipt(of: root)
            try Self.check(root, receipt, scope)
            createdAt = try receipt.date("receipt_creation_date")
            answeredAt = try Self.answeredAt(receipt, wrapper, now: now)
            isDatedByEvents = false
        }
        if let wrapper { try readAliases(wrapper) }
    }

    private static func isWrapper(_ text: ReceiptNode) -> Bool {
        guard text.member("status") == nil, !ReceiptNotification.isOne(text), let inner = text.member("receipt") else {
            return false
        }
        return inner.member("status") != nil || ReceiptNotification.isOne(inner)
    }

    private static func receipt(of root: ReceiptNode) throws(ReceiptProblem) -> ReceiptNode {
        guard let status = try root.number("status") else {
            if let other = ReceiptLookalike(root) { throw other.problem(at: root) }
            throw root.problem(
                "has no `status`, so it is not an answer of verifyReceipt", .malformed, hint: Self.keepWhole)
        }
        try ReceiptStatus.check(status, of: root)
        guard let receipt = try root.object("receipt") else {
            let isUnified = root.member("latest_receipt_info") != nil
            throw root.missing(
                "receipt", .malformed,
                hint: isUnified ? "\(keepWhole); of a version-1 notification, the whole notification" : keepWhole)
        }
        return receipt
    }

    private static func check(
        _ root: ReceiptNode, _ receipt: ReceiptNode, _ scope: Scope
    ) throws(ReceiptProblem) {
        // `bid` is the name in receipts in iOS 6 style.
        let name = receipt.member("bundle_id") == nil && receipt.member("bid") != nil ? "bid" : "bundle_id"
        guard let bundleId = try receipt.text(name) else { throw receipt.missing("bundle_id", hint: keepWhole) }
        guard BundleId(bundleId) == scope.bundleId else {
            throw receipt.problem("`\(bundleId)` is another app than `\(scope.bundleId)`", .wrongApp, at: name)
        }
        let place = try root.text("environment") == nil ? receipt : root
        let member = place.path == root.path ? "environment" : "receipt_type"
        guard let said = try place.text(member) else {
            throw root.missing(
                "environment", hint: "add `\"environment\": \"\(scope.environment.rawValue)\"` if it is of it")
        }
        try check(environment: said, scope, of: place, at: member)
    }

    static func check(
        environment said: String, _ scope: Scope, of node: ReceiptNode, at member: String
    ) throws(ReceiptProblem) {
        guard environment(said) != scope.environment.rawValue else { return }
        throw node.problem(
            "`\(said)` is another environment than `\(scope.environment.rawValue)`", .wrongEnvironment, at: member,
            hint: "import it with `--environment \(environment(said))`")
    }

    /// `receipt_type` names the kind of store beside the environment; the oldest answers have no other word.
    /// Notifications write `PROD`.
    private static func environment(_ said: String) -> String {
        switch said {
        case "ProductionSandbox", "ProductionVPPSandbox": "Sandbox"
        case "PROD", "ProductionVPP": "Production"
        default: said
        }
    }

    private static func answeredAt(
        _ receipt: ReceiptNode, _ wrapper: ReceiptNode?, now: Instant
    ) throws(ReceiptProblem) -> Instant {
        let (node, name) =
            if let wrapper, receipt.member("request_date_ms") == nil, receipt.member("request_date") == nil {
                (wrapper, "requestDate")
            } else {
                (receipt, "request_date")
            }
        guard let date = try node.date(name) else {
            throw receipt.missing(
                "request_date_ms",
                hint: "wrap it: `{\"requestDate\": <milliseconds when Apple answered>, \"receipt\": <the answer>}`")
        }
        try check(date, node, name, now: now)
        return date
    }

    private static func check(
        _ date: Instant, _ node: ReceiptNode, _ name: String, now: Instant
    ) throws(ReceiptProblem) {
        let ahead = date.milliseconds(since: now)
        guard ahead <= SignedDataReader.allowedClockSkewMilliseconds else {
            throw node.problem("`\(date)` is \(ahead / 1_000) s ahead of the clock", .implausibleDate, at: name)
        }
    }

    private mutating func readAliases(_ wrapper: ReceiptNode) throws(ReceiptProblem) {
        guard Self.wrapperMembers.isSuperset(of: wrapper.names) else {
            let known = Self.wrapperMembers.sorted().map { "`\($0)`" }.joined(separator: ", ")
            throw wrapper.problem("has a member beside `receipt` that is not known", hint: "it has \(known)")
        }
        customerId = try wrapper.text("customerId").map { CustomerId($0) }
        guard let text = try wrapper.text("appAccountToken") else { return }
        guard let token = AppAccountToken(text) else {
            throw wrapper.problem("`\(text)` is not a UUID", at: "appAccountToken")
        }
        appAccountToken = token
    }
}

/// Apple's status of a receipt as a whole (Apple: App Store Receipts, `status`).
enum ReceiptStatus {
    /// Whether the answer holds the purchases: 0, and 21006, which is sent of receipts in iOS 6 style alone and means
    /// that the subscription has expired.
    static func hasPurchases(_ status: Int) -> Bool { status == 0 || status == 21_006 }

    static func check(_ status: Int, of node: ReceiptNode) throws(ReceiptProblem) {
        guard !hasPurchases(status) else { return }
        let (detail, hint) = words(status)
        throw node.problem("`\(status)`: \(detail)", .noReceipt, at: "status", hint: hint)
    }

    /// Why an answer holds none, and what can be done.
    static func words(_ status: Int) -> (detail: String, hint: String) {
        let again = "ask Apple again for this receipt"
        return switch status {
        case 21_000: ("the App Store was not asked with POST", again)
        case 21_001: ("Apple no longer sends this status", again)
        case 21_002: ("the receipt was malformed, or the service had a passing trouble", again)
        case 21_003: ("the receipt could not be authenticated", "leave it out: its purchases cannot be verified")
        case 21_004: ("the shared secret was not the app's", "ask again with the secret of App Store Connect")
        case 21_005: ("the receipt server was not available", again)
        case 21_007: ("a receipt of the sandbox was sent to Production", "ask the sandbox, and import it as Sandbox")
        case 21_008: ("a receipt of Production was sent to the sandbox", "ask Production, and import it as Production")
        case 21_009: ("Apple had an error of its own", again)
        case 21_010: ("the customer's account was not found, or was deleted", "leave it out")
        case 21_100...21_199: ("Apple had an error of its own", again)
        default: ("Apple does not document this status", again)
        }
    }
}
