import Foundation
import OfferModel
import OfferStore
import OpenSSLCrypto
import Rounds
import SQLiteStore

/// Reading the history of a customer, decoding included, and keeping one more transaction, by the number of
/// transactions.
///
/// It needs no prepared folder: the database is made in a temporary directory.
struct HistoryReading {
    private static let start = Instant(milliseconds: 1_700_000_000_000)

    func measure() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "history-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "offers.sqlite").path
        try SQLiteDatabase.migrate(path: path)
        let database = try SQLiteDatabase(path: path)
        let scope = try await database.write {
            try ScopeStore($0).findOrAdd(Scope(bundleId: "com.example.pro", environment: .localTesting))
        }
        for (transactions, customers, first) in [(12, 2_000, 1_000_000), (1_000, 20, 9_000_000)] {
            let size = "\(transactions) transactions"
            var numbers: [CustomerNumber] = []
            for customer in 0..<customers {
                let payloads = Self.payloads(first + customer, transactions)
                let customer = try await Self.ingest(payloads, scope, database).first?.customer
                numbers += [customer].compactMap(\.self)
            }
            var reading = Rounds()
            for round in 0..<max(4_000, 4 * customers) {
                let number = numbers[round * 7_919 % numbers.count]
                let time = try await database.readInline { transaction in
                    let began = ContinuousClock.now
                    let history = try HistoryStore(transaction).history(of: [number])
                    precondition(history.transactions.count == transactions)
                    return ContinuousClock.now - began
                }
                reading.add(time)
                if transactions > 100, round > 500 { break }
            }
            print("read a history of \(size)\t\(reading.text())")
            // One body alone: what is measured is its statements, without the commit.
            var writing = Rounds()
            for round in 0..<200 {
                let payload = Self.bought(first + round % customers, transactions + round / customers)
                let time = try await Self.timed([payload], scope, database)
                writing.add(time)
            }
            print("keep one more than \(size)\t\(writing.text())")
        }
    }

    private static func ingest(
        _ payloads: [HistoryPayload], _ scope: ScopeNumber, _ database: SQLiteDatabase
    ) async throws -> [IngestedPayload] {
        try await Ledger(database, digest: OpenSSLDigest()).write(by: AuditAuthor(actor: "bench")) {
            try HistoryStore($0).ingest(payloads, at: start, in: scope)
        }
    }

    private static func timed(
        _ payloads: [HistoryPayload], _ scope: ScopeNumber, _ database: SQLiteDatabase
    ) async throws -> Duration {
        try await Ledger(database, digest: OpenSSLDigest()).write(by: AuditAuthor(actor: "bench")) { transaction in
            let began = ContinuousClock.now
            _ = try HistoryStore(transaction).ingest(payloads, at: start, in: scope)
            return ContinuousClock.now - began
        }
    }

    /// So many months, whether it renews, and the app itself.
    private static func payloads(_ customer: Int, _ transactions: Int) -> [HistoryPayload] {
        var info = RenewalInfo(
            originalTransactionId: original(customer), productId: "com.example.pro.monthly", signedDate: start)
        info.autoRenewProductId = info.productId
        (info.autoRenewStatus, info.isInBillingRetryPeriod, info.environment) = (.off, false, "LocalTesting")
        info.expirationIntent = .customerCancelled
        var app = AppTransaction(bundleId: "com.example.pro", receiptCreationDate: start)
        (app.appTransactionId, app.originalPurchaseDate) = (account(customer), start)
        (app.applicationVersion, app.originalApplicationVersion) = ("4.2.0", "1.0.0")
        return (0..<transactions).map { bought(customer, $0) } + [
            HistoryPayload(.renewalInfo(info), bytes: bytes("renewal \(customer)"), provenance: .client),
            HistoryPayload(.appTransaction(app), bytes: bytes("app \(customer)"), provenance: .client),
        ]
    }

    private static func original(_ customer: Int) -> TransactionId { TransactionId("200000\(customer)0000") }

    private static func account(_ customer: Int) -> AppTransactionId { AppTransactionId("70412345678\(customer)") }

    private static func bought(_ customer: Int, _ number: Int) -> HistoryPayload {
        let first = original(customer)
        let id = number == 0 ? first : TransactionId("200000\(customer)\(1_000 + number)")
        let purchased = start.adding(milliseconds: Int64(number - 2_000) * 30 * Instant.Duration.day)
        var transaction = Transaction(
            transactionId: id, originalTransactionId: first, bundleId: "com.example.pro",
            productId: "com.example.pro.monthly", purchaseDate: purchased,
            signedDate: purchased.adding(milliseconds: 1_000))
        transaction.webOrderLineItemId = "210000\(customer)\(1_000 + number)"
        transaction.subscriptionGroupIdentifier = "21500001"
        transaction.originalPurchaseDate = start
        transaction.expiresDate = purchased.adding(milliseconds: 30 * Instant.Duration.day)
        transaction.type = .autoRenewableSubscription
        (transaction.quantity, transaction.inAppOwnershipType) = (1, .purchased)
        transaction.appAccountToken = LowercaseUUID("7e3fb204-2f27-4b1c-9a6d-0a63d7c1e2\(10 + customer % 90)")
        transaction.appTransactionId = account(customer)
        (transaction.price, transaction.currency) = (9_990, "USD")
        transaction.transactionReason = number == 0 ? .purchase : .renewal
        (transaction.storefront, transaction.storefrontId) = ("USA", "143441")
        transaction.environment = "LocalTesting"
        return HistoryPayload(
            .transaction(transaction), bytes: bytes("transaction \(customer) \(number)"), provenance: .client)
    }

    /// As many as a payload of Apple's has.
    private static func bytes(_ name: String) -> [UInt8] {
        Array(name.utf8) + Array(repeating: UInt8(ascii: " "), count: 900)
    }
}
