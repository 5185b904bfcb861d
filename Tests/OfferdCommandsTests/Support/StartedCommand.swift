import Foundation
import OfferTestSupport
import Synchronization

/// `offerd` with a command line, still running, so that it can be stopped.
final class StartedCommand: Sendable {
    private let process: Mutex<Process>
    private let scratch: TemporaryDirectory

    /// Starts it.
    init(_ arguments: [String], directory: URL) throws {
        scratch = try TemporaryDirectory()
        let process = Process()
        process.executableURL = URL(filePath: Installation.offerd.path)
        process.arguments = arguments
        process.environment = BuiltProgram.base
        process.currentDirectoryURL = directory
        process.standardOutput = FileHandle(forWritingAtPath: try scratch.write("", to: "out"))
        process.standardError = FileHandle(forWritingAtPath: try scratch.write("", to: "err"))
        try process.run()
        self.process = Mutex(process)
    }

    /// Sends a signal and waits for the end: the exit status, and what it wrote.
    func end(with number: Int32) async throws -> (status: Int32, output: String, errorText: String) {
        let status = await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                let status = process.withLock { process in
                    // The number of a process that has ended may be another's by now.
                    if process.isRunning { _ = Foundation.kill(process.processIdentifier, number) }
                    process.waitUntilExit()
                    return process.terminationStatus
                }
                continuation.resume(returning: status)
            }
        }
        return (
            status, try String(contentsOfFile: scratch.path("out"), encoding: .utf8),
            try String(contentsOfFile: scratch.path("err"), encoding: .utf8)
        )
    }
}
