import OfferStore
import OpenSSLCrypto

extension StoreDatabase {
    /// Writes with an audit.
    func recorded<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await Ledger(self, digest: OpenSSLDigest()).write(by: AuditAuthor(actor: "tests"), body)
    }
}
