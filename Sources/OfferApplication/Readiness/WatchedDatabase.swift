import OfferStore
import Synchronization

/// The database, with a memory for what its failures have shown.
final class WatchedDatabase: StoreDatabase {
    private struct State {
        var failures = 0
        var damage: StoreError?
    }

    private let base: any StoreDatabase
    private let state = Mutex(State())

    init(_ base: any StoreDatabase) {
        self.base = base
    }

    /// Set once a part of the file was found damaged: what is read elsewhere may be right, but nobody can tell.
    var damage: StoreError? { state.withLock { $0.damage } }

    /// How often the database has failed.
    var failures: Int { state.withLock { $0.failures } }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        do {
            return try await base.read(body)
        } catch let error as StoreError {
            note(error)
            throw error
        }
    }

    func readInline<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        do {
            return try await base.readInline(body)
        } catch let error as StoreError {
            note(error)
            throw error
        }
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        do {
            return try await base.write(body)
        } catch let error as StoreError {
            note(error)
            throw error
        }
    }

    private func note(_ error: StoreError) {
        state.withLock { state in
            switch error {
            case .damaged:
                state.failures += 1
                state.damage = error
            case .busy, .full, .readOnly, .unavailable, .notMigrated, .newerThanThisVersion, .interrupted:
                state.failures += 1
            case .corrupt, .corruptFacts, .constraint, .unrecorded: break
            }
        }
    }
}
