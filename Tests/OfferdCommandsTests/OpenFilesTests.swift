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
}
