import Foundation
import Testing

@testable import OfferdCommands

@Suite("Open files")
struct OpenFilesTests {
    @Test(
        "connections leave 64 open files for everything else, and are never none",
        arguments: [(20_000, 1_024), (1_088, 1_024), (1_024, 960), (150, 86), (64, 1), (0, 1)])
    func connections(limit: Int, expected: Int) {
        #expect(OpenFiles.connections(wanted: 1_024, limit: limit) == expected)
    }

    @Test("a crash leaves no core file, which would hold the signing keys (invariant 9)")
    func noCoreFiles() async throws {
        let server = try await RunningServer.start(try await Installation())
        let limits = try String(contentsOfFile: "/proc/\(server.processIdentifier)/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(line.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
        #expect(await server.stop() == 0)
    }
}
