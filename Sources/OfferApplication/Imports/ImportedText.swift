import OfferModel

/// Which texts name somebody or something: not empty, without control characters, no longer than any of Apple's.
enum ImportedText {
    static func check(_ transaction: Transaction) throws(ImportRefusal) {
        try check(transaction.transactionId.rawValue, of: "transactionId")
        try check(transaction.originalTransactionId.rawValue, of: "originalTransactionId")
        try check(transaction.productId.rawValue, of: "productId")
        try check(transaction.subscriptionGroupIdentifier?.rawValue, of: "subscriptionGroupIdentifier")
        try check(transaction.appTransactionId?.rawValue, of: "appTransactionId")
        try check(transaction.offerIdentifier?.rawValue, of: "offerIdentifier")
    }

    static func check(_ info: RenewalInfo) throws(ImportRefusal) {
        try check(info.originalTransactionId.rawValue, of: "originalTransactionId")
        try check(info.productId.rawValue, of: "productId")
        try check(info.autoRenewProductId?.rawValue, of: "autoRenewProductId")
        try check(info.appTransactionId?.rawValue, of: "appTransactionId")
        try check(info.offerIdentifier?.rawValue, of: "offerIdentifier")
    }

    static func check(_ text: String?, of name: String) throws(ImportRefusal) {
        guard let text else { return }
        guard !text.isEmpty else { throw ImportRefusal(.invalidValue, "`\(name)` is empty") }
        guard text.utf8.count <= longest else {
            throw ImportRefusal(.tooLong, "`\(name)` has \(text.utf8.count) bytes, more than \(longest)")
        }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw ImportRefusal(.invalidValue, "`\(name)` holds a control character")
        }
    }

    private static let longest = 512
}
