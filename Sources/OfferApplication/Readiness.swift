import OfferModel
import OfferStore

/// Whether requests can be answered now.
public struct Readiness: Sendable {
    private let database: any StoreDatabase

    init(database: any StoreDatabase) {
        self.database = database
    }

    /// Reads from the database. That it can be written shows only when something is.
    ///
    /// - Throws: ``RequestError``, in words that name no file of the machine: everybody may ask.
    public func check() async throws {
        do {
            _ = try await database.read { try StoreClock($0).newestSequence() }
        } catch let error as StoreError {
            throw RequestError(storeFailure: error)
                ?? .notReady(detail: "the database cannot be used now", hint: "the log of offerd says why")
        }
    }
}
