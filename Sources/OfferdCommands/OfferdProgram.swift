import ArgumentParser
import Foundation

/// The `offerd` program: parses, runs, and ends with the exit codes of docs/design.md#commands.
public enum OfferdProgram {
    /// Runs the command that the process was started with and ends the process.
    public static func run() async {
        let status = await status(of: Array(CommandLine.arguments.dropFirst()))
        exit(status)
    }

    /// Runs a command and gives its exit code: 0 done, 1 failed, 2 usage or configuration.
    static func status(of arguments: [String]) async -> Int32 {
        do {
            var command = try Offerd.parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return 0
        } catch {
            return Terminal.report(error)
        }
    }
}

/// The root of the commands.
struct Offerd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offerd",
        abstract: "Decides which App Store subscription offers a customer may have, signs them, and records each one.",
        discussion: """
            An operator makes a key and a database once, hands out API keys, and runs the server. \
            docs/operations.md tells it step by step.

            Exit status: 0 done, 1 failed, 2 wrong use or configuration.

            Example:
              offerd migrate --config offerd.yaml
              offerd serve --config offerd.yaml
            """,
        version: offerdVersion,
        subcommands: [
            Serve.self, Migrate.self, BackfillCommand.self, ImportCommand.self, Doctor.self, Backup.self, Restore.self,
            VerifyLedger.self, RetentionCommand.self, KeysCommand.self, APIKeysCommand.self, CustomersCommand.self,
            DevelopmentCommand.self,
        ])
}

/// The version both programs show.
let offerdVersion = "0.1.0"
