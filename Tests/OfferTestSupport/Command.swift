import Dispatch
public import Foundation

/// A finished run of another program: the independent judges of these tests, such as `openssl` and `python3`.
public struct Command: Sendable {
    /// The exit status.
    public let status: Int32
    /// What it wrote to standard output.
    public let output: [UInt8]
    /// What it wrote to standard error.
    public let errorText: String

    /// The output as text.
    public var text: String { String(decoding: output, as: UTF8.self) }

    /// Runs a program found in `PATH` and waits for its end.
    ///
    /// Output goes through files, so a talkative program cannot block on a full pipe.
    ///
    /// - Parameter patience: the seconds after which a program that has not ended is killed. Its status is then 9.
    public static func run(
        _ program: String, _ arguments: [String], input: [UInt8] = [], environment: [String: String]? = nil,
        directory: URL? = nil, patience: TimeInterval? = nil
    ) throws -> Command {
        let scratch = try TemporaryDirectory()
        let inputPath = try scratch.write(input, to: "in")
        let outputPath = try scratch.write("", to: "out")
        let errorPath = try scratch.write("", to: "err")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.environment = environment ?? ProcessInfo.processInfo.environment
        process.currentDirectoryURL = directory
        process.standardInput = FileHandle(forReadingAtPath: inputPath)
        process.standardOutput = FileHandle(forWritingAtPath: outputPath)
        process.standardError = FileHandle(forWritingAtPath: errorPath)
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        if let patience, ended.wait(timeout: .now() + patience) == .timedOut {
            kill(process.processIdentifier, SIGKILL)
        }
        process.waitUntilExit()
        return Command(
            status: process.terminationStatus,
            output: Array(try Data(contentsOf: URL(filePath: outputPath))),
            errorText: String(decoding: try Data(contentsOf: URL(filePath: errorPath)), as: UTF8.self))
    }
}
