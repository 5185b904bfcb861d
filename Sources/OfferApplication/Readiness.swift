import OfferModel
import OfferStore

/// Whether requests can be answered now.
public struct Readiness: Sendable {
    private let database: any StoreDatabase
    private let clock: RequestClock

    init(database: any StoreDatabase, clock: RequestClock) {
        self.database = database
        self.clock = clock
    }

    /// Reads from the database. That it can be written shows only when something is.
    ///
    /// - Throws: ``RequestError``, in words that name no file of the machine: everybody may ask.
    public func check() async throws {
        do {
            let clock = clock
            _ = try await database.read { try clock.instant($0) }
        } catch let error as StoreError {
            throw RequestError(storeFailure: error)
                ?? .notReady(detail: "the database cannot be used now", hint: "the log of offerd says why")
        }
    }
}
