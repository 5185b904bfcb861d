import Foundation
import OfferTestSupport
import Testing

/// As root every permission is ours, so the program runs as somebody who owns nothing.
@Suite("Files that the service's user may not use")
struct UnprivilegedTests {
    /// Runs `offerd` as `nobody` where we are root, else as ourselves.
    private func offerd(_ arguments: [String], in directory: TemporaryDirectory) throws -> Command {
        let program = [Installation.offerd.path] + arguments
        let isRoot = getuid() == 0
        let command = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + program : program
        return try Command.run(
            command[0], Array(command.dropFirst()), environment: BuiltProgram.base, directory: directory.url)
    }

    private func give(_ directory: TemporaryDirectory) throws {
        guard getuid() == 0 else { return }
        let given = try Command.run("chown", ["-R", "65534:65534", directory.url.path])
        try #require(given.status == 0, "\(given.errorText)")
    }

    @Test(
        "serve says which file and why, with what to do, and doctor says the same",
        arguments: [
            ("000", "offers.sqlite", "the database file `DIR/offers.sqlite` cannot be read by this user", 1),
            ("400", "offers.sqlite", "the database file `DIR/offers.sqlite` cannot be written by this user", 1),
            ("500", ".", "the directory `DIR` cannot be written by this user, and SQLite keeps its log there", 1),
            ("000", "signing.p8", "key file `DIR/signing.p8` may not be read by this user", 2),
        ] as [(String, String, String, Int32)])
    func told(mode: String, file: String, words: String, status: Int32) async throws {
        let installation = try await Installation()
        let directory = installation.directory
        try give(directory)
        let changed = try Command.run("chmod", [mode, directory.path(file)])
        try #require(changed.status == 0)
        defer { _ = try? Command.run("chmod", ["700", directory.path(file)]) }
        let served = try offerd(["serve", "--config", "offerd.yaml"], in: directory)
        let expected = words.replacing("DIR", with: directory.url.path)
        #expect(served.errorText.contains(expected), "\(served.errorText)")
        #expect(served.errorText.contains("hint: ") && served.status == status)
        let doctor = try offerd(["doctor", "--config", "offerd.yaml"], in: directory)
        #expect(doctor.text.contains(expected), "\(doctor.text)\(doctor.errorText)")
        #expect(doctor.status == 1)
    }
}
