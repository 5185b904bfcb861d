public import Foundation

/// One of this package's own programs, as it was built beside the program that runs the tests.
public struct BuiltProgram: Sendable {
    /// Where it is.
    public let path: String

    /// The program of that name.
    public init(_ name: String) {
        path =
            URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: name).path
    }

    /// Runs a command line with just this environment and `PATH`.
    ///
    /// On a thread of its own: waiting for a process must not take a thread from the tests that run beside it.
    public func run(
        _ arguments: [String], environment: [String: String] = [:], directory: URL? = nil
    ) async throws -> Command {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try Command.run(
                            path, arguments, environment: Self.base.merging(environment) { $1 }, directory: directory)
                    })
            }
        }
    }

    /// The environment every run starts from.
    public static var base: [String: String] {
        ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""]
    }
}
