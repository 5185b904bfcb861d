import OfferModel
import OfferStore

/// Whether requests can be answered now.
public struct Readiness: Sendable {
    private let database: any StoreDatabase

    init(database: any StoreDatabase) {
        self.database = database
    }

    /// Reads from the database.
    ///
    /// - Throws: ``RequestError/notReady(detail:hint:)`` saying what is wrong.
    public func check() async throws {
        do {
            _ = try await database.read { try StoreClock($0).newestSequence() }
        } catch let error as StoreError {
            throw RequestError.notReady(detail: error.detail, hint: error.hint)
        }
    }
}
