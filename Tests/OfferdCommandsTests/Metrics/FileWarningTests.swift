import Foundation
import OfferApplication
import OfferTestSupport
import SQLiteStore
import Testing

@testable import OfferdCommands

@Suite("What the console warns of a database file")
struct FileWarningTests {
    @Test("it has the words of `offerd doctor`, and none of what is well")
    func words() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("offers.sqlite")
        try SQLiteDatabase.migrate(path: path)
        func warnings(_ mode: Int) throws -> [ServerState.Fault] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            return DoctorChecks.warnings(ofFile: path)
        }
        let open = ServerState.Fault(
            "permissions: others on this machine may use the database file (mode 644)",
            hint: "`chmod 600` the file and its `-wal` and `-shm`")
        #expect(try warnings(0o644).contains(open))
        let sqlite = DoctorChecks.sqlite(SQLiteVersion.current)
        let known = sqlite.verdict == .ok ? [] : [ServerState.Fault("sqlite: \(sqlite.detail)", hint: sqlite.hint)]
        #expect(try warnings(0o600) == known)
    }
}
