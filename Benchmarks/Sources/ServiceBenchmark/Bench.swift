import Foundation
import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OpenSSLCrypto
import SQLiteStore

/// What Service/service.py prepared, opened.
enum Bench {
    static let issuer = "57246542-96fe-1a63-e053-0824d011072a"
    static let scope = Scope(bundleId: "com.example.pro", environment: .localTesting)

    static func now() -> Instant {
        Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    }

    static func database(in folder: URL) throws -> SQLiteDatabase {
        try SQLiteDatabase(path: folder.appending(path: "offers.sqlite").path)
    }

    /// The service over a database, as `offerd serve` puts it together.
    static func useCases(in folder: URL, _ database: any StoreDatabase) throws -> UseCases {
        let root = Array(try Data(contentsOf: folder.appending(path: "root/root.der")))
        let app = RegisteredApp(
            bundleId: scope.bundleId, appAppleId: 1_234_567_890, issuerId: issuer,
            signingKeys: [scope.environment: try Signing.key(in: folder)],
            verifier: try AppStoreChainVerifier(additionalRoots: [.localTesting: [root]]))
        return UseCases(
            registry: AppRegistry([app]), database: database, digest: OpenSSLDigest(), random: OpenSSLRandom(),
            clock: { now() })
    }

    /// A backend that asks.
    static func caller() throws -> Caller {
        Caller(apiKeyId: "bench", scope: scope, role: .client, requestId: try OpenSSLRandom().uuid())
    }

    /// One of the customers that populate.py made.
    static func customer(_ number: Int) -> CustomerIdentifiers {
        CustomerIdentifiers(originalTransactionId: TransactionId(String(100_000_000_000 + number * 64)))
    }
}
