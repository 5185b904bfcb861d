import OfferModel
import OfferSigning

/// Whose data is expected: the configuration's word, which signed claims must match and never change (invariant 6).
struct ExpectedClaims: Sendable {
    let bundleId: BundleId
    let appAppleId: Int64?
    let environment: AppStoreEnvironment

    func check(_ transaction: Transaction) throws(SignedDataRefusal) {
        try check(bundleId: transaction.bundleId)
        try check(environment: transaction.environment, member: "environment")
    }

    /// Renewal info names no app: whose it is follows from its transactions (docs/design.md#history-and-state).
    func check(_ renewalInfo: RenewalInfo) throws(SignedDataRefusal) {
        try check(environment: renewalInfo.environment, member: "environment")
    }

    func check(_ appTransaction: AppTransaction) throws(SignedDataRefusal) {
        try check(bundleId: appTransaction.bundleId)
        try check(environment: appTransaction.receiptType, member: "receiptType")
        try check(appAppleId: appTransaction.appAppleId)
    }

    func check(bundleId found: BundleId, member: String = "bundleId") throws(SignedDataRefusal) {
        guard found == bundleId else {
            throw SignedDataRefusal(.wrongBundleId, "`\(member)` is `\(found)`, expected `\(bundleId)`")
        }
    }

    func check(environment found: String?, member: String) throws(SignedDataRefusal) {
        guard let found else {
            throw SignedDataRefusal(
                .wrongEnvironment, "`\(member)` is absent, expected `\(environment.rawValue)`")
        }
        guard found == environment.rawValue else {
            throw SignedDataRefusal(
                .wrongEnvironment, "`\(member)` is `\(found)`, expected `\(environment.rawValue)`")
        }
    }

    /// Apple leaves the id out of Sandbox data, so it is held against the configuration in Production alone.
    func check(appAppleId found: Int64?, member: String = "appAppleId") throws(SignedDataRefusal) {
        guard environment == .production, let found, found != appAppleId else { return }
        let expected = appAppleId.map { "expected `\($0)`" } ?? "and the configuration has none"
        throw SignedDataRefusal(.wrongAppAppleId, "`\(member)` is `\(found)`, \(expected)")
    }
}
