import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import SQLiteStore

/// The files of a database as a process that is lost now leaves them: nothing is closed and nothing written back.
///
/// The files' contents are the system's from the moment they are written, so a copy is what `kill -9` leaves; that the
/// disk has them too after a commit is shown by the trace of system calls (PowerLossTests).
struct Wreck: Sendable {
    let directory: TemporaryDirectory
    private var path: String { directory.path("offers.sqlite") }

    init(of other: TemporaryDirectory) throws {
        directory = try TemporaryDirectory()
        for name in ["offers.sqlite", "offers.sqlite-wal"]
        where FileManager.default.fileExists(atPath: other.path(name)) {
            try FileManager.default.copyItem(atPath: other.path(name), toPath: directory.path(name))
        }
    }

    /// Opens the database as the next process does.
    func reopened<T: Sendable>(_ body: @Sendable (SQLiteDatabase) async throws -> T) async throws -> T {
        let database = try SQLiteDatabase(path: path)
        let result = try await body(database)
        try database.close()
        return result
    }
}
