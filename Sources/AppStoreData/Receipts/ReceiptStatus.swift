/// What Apple says of a receipt as a whole (Apple: App Store Receipts, `status`).
enum ReceiptStatus {
    /// Whether the answer holds the purchases: 0, and 21006, which is sent of receipts in iOS 6 style alone and means
    /// that the subscription has expired.
    static func hasPurchases(_ status: Int) -> Bool { status == 0 || status == 21_006 }

    /// Why an answer holds none, and what can be done.
    static func words(_ status: Int) -> (detail: String, hint: String) {
        let again = "ask Apple again for this receipt"
        return switch status {
        case 21_000: ("the App Store was not asked with POST", again)
        case 21_001: ("Apple no longer sends this status", again)
        case 21_002: ("the receipt was malformed, or the service had a passing trouble", again)
        case 21_003: ("the receipt could not be authenticated", "leave it out: nobody vouches for its purchases")
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
