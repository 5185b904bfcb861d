import Foundation
import OfferModel
import OfferTestSupport

/// Somebody at a terminal with `offerctl` and a key for a running server.
struct Operator: Sendable {
    private static let offerctl = BuiltProgram("offerctl")
    let server: RunningServer
    let token: String
    let directory = try? TemporaryDirectory()

    /// Types a command line.
    func types(_ line: String) async throws -> Command {
        try await Self.offerctl.run(
            ShellWords.split(line), environment: ["OFFERCTL_SERVER": server.url, "OFFERCTL_TOKEN": token],
            directory: directory?.url)
    }

    /// Reads a file that a command has written.
    func reads(_ name: String) throws -> Data {
        try Data(contentsOf: (directory?.url ?? URL(filePath: ".")).appending(path: name))
    }

    /// Writes a file to name in command lines.
    func saves(_ text: String, as name: String) throws {
        try directory?.write(text, to: name)
    }
}
