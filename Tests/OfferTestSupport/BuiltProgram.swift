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

    /// How long a server may go on that a test runs to see it refuse to start, in seconds.
    private static let patience = 30.0

    /// Runs a command line with just this environment and `PATH`.
    ///
    /// A server that does not refuse to start is killed, so that its test fails instead of waiting for ever.
    ///
    /// On a thread of its own: waiting for a process must not take a thread from the tests that run beside it.
    public func run(
        _ arguments: [String], environment: [String: String] = [:], directory: URL? = nil
    ) async throws -> Command {
        try await Self.detached {
            try Command.run(
                path, arguments, environment: Self.base.merging(environment) { $1 }, directory: directory,
                patience: arguments.contains("serve") ? Self.patience : nil)
        }
    }

    /// Runs a command line at a terminal: stdout and stderr come together, as whoever sits there sees them.
    ///
    /// - Parameters:
    ///   - answers: what the user types at each question, a line each, once the program has asked `[y/N] ` or
    ///     for a token.
    ///   - columns: the terminal's width; 0 for one that does not tell it.
    public func runAtTerminal(
        _ arguments: [String], answers: [String] = [], columns: Int = 0, environment: [String: String] = [:],
        directory: URL? = nil
    ) async throws -> Command {
        let variables = Self.base.merging(environment) { $1 }.map { "\($0.key)=\($0.value)" }
        // The terminal repeats what is typed, as it does for a user.
        let script = """
            import fcntl, os, pty, struct, sys, termios
            answers = sys.argv[1].split(",")[:-1]
            pid, terminal = pty.fork()
            if pid == 0:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 0, int(sys.argv[2]), 0, 0))
                os.execvp(sys.argv[3], sys.argv[3:])
            shown = b""
            while True:
                try: data = os.read(terminal, 65536)
                except OSError: break
                if not data: break
                shown += data
                sys.stdout.buffer.write(data)
                if shown.endswith((b"[y/N] ", b"token: ")):
                    shown = b""
                    os.write(terminal, (answers.pop(0) + "\\n").encode() if answers else b"\\x04")
            sys.stdout.buffer.flush()
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            """
        return try await Self.detached {
            try Command.run(
                "python3",
                ["-c", script, answers.map { $0 + "," }.joined(), "\(columns)", "env", "-i"] + variables + [path]
                    + arguments,
                directory: directory)
        }
    }

    /// Runs a program that goes on until it is told to stop: once it has printed a line it gets SIGTERM.
    public func runUntilLine(_ arguments: [String], directory: URL) async throws -> Command {
        // The shell's own process becomes the program, so the signal meets it and nothing in between.
        let script = """
            mkfifo line; (exec "$0" "$@" >line) & program=$!; exec 3<line; IFS= read -r first <&3; printf '%s\\n' "$first"
            kill -TERM "$program"; cat <&3; wait "$program"
            """
        return try await Self.detached {
            try Command.run("sh", ["-c", script, path] + arguments, environment: Self.base, directory: directory)
        }
    }

    private static func detached(_ body: @escaping @Sendable () throws -> Command) async throws -> Command {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
        }
    }

    /// The environment every run starts from: where programs are, what a program built with a sanitizer needs, and which
    /// fault of `Scripts/mutate` is in force.
    public static var base: [String: String] {
        let inherited = ["PATH", "LD_PRELOAD", "TSAN_OPTIONS", "OFFERD_MUTANT"]
        return ProcessInfo.processInfo.environment.filter { inherited.contains($0.key) }
    }
}
