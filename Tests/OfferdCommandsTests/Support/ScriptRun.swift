import Foundation
import NIOCore
import NIOPosix
import OfferTestSupport

/// Runs a script for `offerd`. Beside files it may say:
///
///     --- given installation      what an operator sets up is there: offerd.yaml, keys.yaml, a key, a root, a database
///     --- before                  shell commands that make the rest; they must succeed
///     --- environment NAME=VALUE
///     --- occupied                another program listens on the port that `{occupied}` stands for
///     --- apple FILE             a server plays Apple's, with what the file says that was signed; its address is
///     $APPLE
///     --- stop                    the program gets SIGTERM once it has printed a line
enum ScriptRun {
    struct Failed: Error {
        var what: String
    }

    private static let template = Task { try await Installation() }

    /// The finished run, and the directory it was in.
    static func run(_ script: TerminalScript) async throws -> (Command, String) {
        let known: Set<String> = ["given", "before", "environment", "occupied", "stop", "file", "apple"]
        guard script.kinds.isSubset(of: known) else { throw Failed(what: "sections of \(script.kinds)") }
        let directory =
            script.sections("given").isEmpty
            ? try TemporaryDirectory() : try TemporaryDirectory(copying: try await template.value.directory.url)
        try script.writeFiles(into: directory)
        if let file = script.sections("apple").first?.words.last {
            let apple = PlayedAppStore()
            return try await apple.serve { server in
                try prepare(script, directory, apple: server.address)
                try apple.load(signed: directory.path(file))
                return (try await run(script, directory, port: nil), directory.url.path)
            }
        }
        try prepare(script, directory)
        guard script.sections("occupied").isEmpty else {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(host: "127.0.0.1", port: 0).get()
            let command = try await run(script, directory, port: channel.localAddress?.port ?? 0)
            try await channel.close()
            return (command, directory.url.path)
        }
        return (try await run(script, directory, port: nil), directory.url.path)
    }

    private static func prepare(
        _ script: TerminalScript, _ directory: TemporaryDirectory, apple: String = ""
    ) throws {
        let tools = URL(filePath: Installation.offerd.path).deletingLastPathComponent().path
        for section in script.sections("before") {
            let body = "PATH=\"\(tools):$PATH\" APPLE=\"\(apple)\"\n" + section.body
            let made = try Command.run("sh", ["-e", "-c", body], directory: directory.url)
            guard made.status == 0 else { throw Failed(what: made.errorText) }
        }
    }

    private static func run(
        _ script: TerminalScript, _ directory: TemporaryDirectory, port: Int?
    ) async throws -> Command {
        let arguments = script.command.map { $0.replacing("{occupied}", with: port.map(String.init) ?? "none") }
        guard script.sections("stop").isEmpty else {
            return try await Installation.offerd.runUntilLine(arguments, directory: directory.url)
        }
        let pairs = script.sections("environment").flatMap { $0.words.dropFirst() }.map { word in
            let parts = word.split(separator: "=", maxSplits: 1)
            return (String(parts[0]), String(parts[1]))
        }
        return try await Installation.offerd.run(
            arguments, environment: Dictionary(pairs) { $1 }, directory: directory.url)
    }
}
