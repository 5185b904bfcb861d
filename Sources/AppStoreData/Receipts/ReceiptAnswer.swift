import OfferModel

/// A verifyReceipt answer of the app and environment that is asked for, before its purchases are read.
struct ReceiptAnswer {
    let scope: Scope
    /// The app's own name for the customer, from the wrapper.
    var customerId: CustomerId?
    /// The app's account, from the wrapper.
    var appAccountToken: AppAccountToken?
    /// Apple's answer.
    let root: ReceiptNode
    /// The decoded receipt in it.
    let receipt: ReceiptNode
    /// When Apple gave the answer: what stands for a signing date (decision 0026).
    let answeredAt: Instant
    /// When the receipt was made, of which `in_app` tells.
    let createdAt: Instant?

    private static let wrapperMembers: Set<String> = ["appAccountToken", "customerId", "receipt", "requestDate"]
    private static let keepWhole = "export the whole answer of verifyReceipt, with its `receipt`"

    /// Finds the answer in a text's root, which is the answer itself or a wrapper around it.
    init(_ text: ReceiptNode, of scope: Scope, now: Instant) throws(ReceiptProblem) {
        self.scope = scope
        guard text.isObject else {
            throw text.problem(
                "is not a JSON object", .malformed, hint: "an answer is one; several belong into JSON Lines, one a line"
            )
        }
        let wrapper = text.member("status") == nil && text.member("receipt")?.member("status") != nil ? text : nil
        root = try wrapper?.object("receipt") ?? text
        guard let status = try root.number("status") else {
            throw root.problem("has no `status`, so it is no answer of verifyReceipt", .malformed, hint: Self.keepWhole)
        }
        guard ReceiptStatus.hasPurchases(status) else {
            let (detail, hint) = ReceiptStatus.words(status)
            throw root.problem("`\(status)`: \(detail)", .noReceipt, at: "status", hint: hint)
        }
        guard let receipt = try root.object("receipt") else {
            throw root.missing("receipt", .malformed, hint: Self.keepWhole)
        }
        self.receipt = receipt
        try Self.check(root, receipt, scope)
        createdAt = try receipt.date("receipt_creation_date")
        answeredAt = try Self.answeredAt(receipt, wrapper, now: now)
        if let wrapper { try readAliases(wrapper) }
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
        guard environment(said) == scope.environment.rawValue else {
            throw place.problem(
                "`\(said)` is another environment than `\(scope.environment.rawValue)`", .wrongEnvironment, at: member,
                hint: "import it with `--environment \(environment(said))`")
        }
    }

    /// `receipt_type` names the kind of store beside the environment; the oldest answers have no other word.
    private static func environment(_ said: String) -> String {
        switch said {
        case "ProductionSandbox", "ProductionVPPSandbox": "Sandbox"
        case "ProductionVPP": "Production"
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
        let ahead = date.milliseconds(since: now)
        guard ahead <= SignedDataReader.allowedClockSkewMilliseconds else {
            throw node.problem("`\(date)` is \(ahead / 1_000) s ahead of the clock", .implausibleDate, at: name)
        }
        return date
    }

    private mutating func readAliases(_ wrapper: ReceiptNode) throws(ReceiptProblem) {
        guard Self.wrapperMembers.isSuperset(of: wrapper.names) else {
            let known = Self.wrapperMembers.sorted().map { "`\($0)`" }.joined(separator: ", ")
            throw wrapper.problem("has a member beside `receipt` that is not known", hint: "it has \(known)")
        }
        customerId = try wrapper.text("customerId").map { CustomerId($0) }
        guard let text = try wrapper.text("appAccountToken") else { return }
        guard let token = AppAccountToken(text) else {
            throw wrapper.problem("`\(text)` is no UUID", at: "appAccountToken")
        }
        appAccountToken = token
    }
}
