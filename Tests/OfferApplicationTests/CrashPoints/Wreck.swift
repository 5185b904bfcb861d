import OfferStore
import OfferTestSupport

/// A database as a process that is lost now leaves it: nothing is closed and nothing written back.
///
/// The files' contents are the system's from the moment they are written, so a copy is what `kill -9` leaves; that the
/// disk has them too after a commit is shown by the trace of system calls (PowerLossTests).
struct Wreck: Sendable {
    let directory: TemporaryDirectory
    private let store: TestStore

    init(of other: TemporaryDirectory) throws {
        directory = try TemporaryDirectory()
        store = try TestStore(copying: other, to: directory)
    }

    /// Opens the database as the next process does.
    func reopened<T: Sendable>(_ body: @Sendable (any DatabaseDriver) async throws -> T) async throws -> T {
        let database = try store.open()
        let result = try await body(database)
        try database.close()
        return result
    }
}
