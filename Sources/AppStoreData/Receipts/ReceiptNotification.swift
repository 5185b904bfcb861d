import OfferModel

/// A version-1 server notification, whose `unified_receipt` is an answer of verifyReceipt (Apple: App
/// Store Server Notifications, `responseBodyV1`). Those from before 2020 have the lists beside `notification_type`.
struct ReceiptNotification {
    /// Names the app, and repeats some of the last purchase.
    let whole: ReceiptNode
    /// Has the lists of purchases and of renewals.
    let root: ReceiptNode
    /// The cancellation, which the notification reports apart from the purchases.
    fileprivate let cancelled: (lineItem: String?, date: Instant)?

    static func isOne(_ node: ReceiptNode) -> Bool {
        node.member("notification_type") != nil || node.member("unified_receipt") != nil
    }

    /// - Throws: for one of another app or environment, or without purchases.
    init(_ whole: ReceiptNode, of scope: Scope) throws(ReceiptProblem) {
        self.whole = whole
        guard let bundleId = try whole.text("bid") else {
            throw whole.missing("bid", hint: "export the whole version-1 notification, with its `bid`")
        }
        guard BundleId(bundleId) == scope.bundleId else {
            throw whole.problem("`\(bundleId)` is another app than `\(scope.bundleId)`", .wrongApp, at: "bid")
        }
        let unified = try whole.object("unified_receipt")
        root = unified ?? whole
        var said = 0
        for node in [whole, root] {
            guard let environment = try node.text("environment") else { continue }
            try ReceiptAnswer.check(environment: environment, scope, of: node, at: "environment")
            said += 1
        }
        guard said > 0 else {
            throw whole.missing(
                "environment", hint: "add `\"environment\": \"\(scope.environment.rawValue)\"` if it is of it")
        }
        if let status = try unified?.number("status") { try ReceiptStatus.check(status, of: root) }
        let lineItem = try whole.text("web_order_line_item_id")
        cancelled = try whole.date("cancellation_date").map { (lineItem, $0) }
    }

    /// When a purchase was cancelled, if the notification says so of it.
    func cancellation(of lineItem: String?) -> Instant? {
        guard let cancelled, let lineItem, cancelled.lineItem == lineItem else { return nil }
        return cancelled.date
    }

    /// Its last event: a notification has no date of its own, and was sent no earlier.
    ///
    /// Of two views of a purchase or a renewal the one with the later event is therefore the newer, as long as what
    /// changed has a date: purchases, cancellations and the change of the renewal status have one.
    func lastEvent() throws(ReceiptProblem) -> Instant {
        var dates = [try whole.date("auto_renew_status_change_date"), cancelled?.date].compactMap(\.self)
        for name in Self.lists {
            // What cannot be read is a problem of the purchase.
            for node in (try? root.objects(name)) ?? [] {
                for name in ["purchase_date", "cancellation_date"] {
                    if let date = try? node.date(name) { dates.append(date) }
                }
            }
        }
        guard let last = dates.max(), Self.lists.contains(where: { root.member($0) != nil }) else {
            throw whole.problem(
                "is a version-1 notification without purchases", .noReceipt,
                hint: "leave it out, or fetch the customer's history from Apple with `offerd backfill`")
        }
        return last
    }

    private static let lists = ["latest_receipt_info", "latest_expired_receipt_info"]
}

extension ReceiptAnswer {
    /// Refuses a notification whose cancellation matches none of its purchases: the purchase would count as paid.
    func problems(beside purchases: ReceiptPurchases) -> [ReceiptProblem] {
        guard let notification, notification.cancelled != nil, purchases.problems.isEmpty, purchases.skipped == 0,
            !purchases.transactions.contains(where: { $0.revocationDate != nil || $0.isUpgraded })
        else { return [] }
        return [
            notification.whole.problem(
                "no purchase of the notification was cancelled then", at: "cancellation_date_ms",
                hint: "fetch the customer's history from Apple with `offerd backfill`")
        ]
    }
}

/// A document that was taken for an answer of verifyReceipt: its name, and the remedy.
struct ReceiptLookalike {
    let detail: String
    let hint: String

    func problem(at node: ReceiptNode) -> ReceiptProblem { node.problem(detail, .malformed, hint: hint) }

    /// By the members of an object without `status`, or by a text; `nil` if nothing gives it away.
    init?(_ node: ReceiptNode) {
        if case .text(let text) = node.value {
            self.init(text: Array(text.utf8))
        } else if node.member("signedPayload") != nil {
            self.init(
                "is a version-2 notification, which Apple has signed",
                "send it to the server as Apple does: `POST /v1/app-store/<bundleId>/<environment>/notifications`")
        } else if node.member("notificationType") != nil {
            self.init(
                "is a decoded version-2 notification",
                "import its decoded transaction with `offerd import transactions`, or send the `signedPayload` it came in "
                    + "to `POST /v1/app-store/<bundleId>/<environment>/notifications`")
        } else if node.member("receipt-data") != nil {
            self.init(
                "is a request to verifyReceipt and not its answer", "ask Apple, and import what it answers")
        } else if node.member("transactionId") != nil {
            self.init("is a decoded transaction", "import it with `offerd import transactions`")
        } else if let outer = node.names.sorted().first(where: { name in
            node.member(name).map(ReceiptNotification.isOne) == true
        }) {
            self.init(
                "holds a version-1 notification in `\(outer)`", "take it out: `jq -c '{receipt: .\(outer)}'`")
        } else {
            return nil
        }
    }

    /// By how a text that is not JSON begins; `nil` if that gives nothing away.
    init?(text: [UInt8]) {
        if text.starts(with: Array("MII".utf8)) {
            self.init(
                "is a receipt in Base64 and not what verifyReceipt answers to it",
                "fetch the customer's history from Apple with `offerd backfill`")
        } else if text.starts(with: Array("eyJ".utf8)) {
            self.init("is a JWS, which Apple has signed", "send it to the server: `POST /v1/transactions`")
        } else {
            return nil
        }
    }

    private init(_ detail: String, _ hint: String) {
        (self.detail, self.hint) = (detail, hint)
    }
}
