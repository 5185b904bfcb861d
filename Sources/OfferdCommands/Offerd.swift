import ArgumentParser
import CommandLineSupport
import Foundation
import LocalAppStore
import OfferApplication
import OfferHTTP
import OfferStore
import OpenSSLCrypto

public enum OfferdProgram {
    public static func run() async {
        CoreFiles.forbid()
        let program = CommandLineProgram(
            Offerd.self, unexpected: .failed, example: "offerd serve --config FILE", output: Console.output,
            failure: { error in
                guard let failure = CommandFailure.words(error) else { return nil }
                let named = failure.naming(variables: ProcessInfo.processInfo.environment)
                return CommandFailure(named.status, lines: named.lines + ConfigurationFile.hint(for: named))
            })
        exit(await program.run(Array(CommandLine.arguments.dropFirst())))
    }
}

struct Offerd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offerd",
        abstract: "Decides which App Store subscription offers a customer may have, signs them, and records each one.",
        discussion: """
            An operator creates an installation once, hands out API keys, and runs the server. docs/operations.md explains \
            it step by step. Commands find the configuration in offerd.yaml here, or in /etc/offerd/offerd.yaml, unless \
            `--config` names another.

            Exit status: 0 done, 1 failed, 2 wrong use or configuration.

            Example:
              offerd init
              offerd serve
            """,
        version: ProgramVersion.text,
        subcommands: [
            InitCommand.self, Serve.self, DrainCommand.self, Migrate.self, BackfillCommand.self, ImportCommand.self,
            Doctor.self, Backup.self, Restore.self, LimitsCommand.self, Move.self,
            VerifyLedger.self, RetentionCommand.self, KeysCommand.self, APIKeysCommand.self, CustomerDataCommand.self,
            DevelopmentCommand.self,
        ])
}

extension CommandFailure {
    /// An error in words; `nil` for one of the argument parser's.
    static func words(_ error: any Error) -> CommandFailure? {
        switch error {
        case let failure as CommandFailure: failure
        case let error as SigningKeyError:
            // A token may be there later, so systemd tries again; a wrong PIN again and again would lock it.
            CommandFailure(
                [.noToken, .notInToken].contains(error.code) ? .failed : .usage, error.detail, hints: [error.hint])
        case let error as CertificateError: CommandFailure(.usage, error.detail, hints: [error.hint])
        case let error as LocalRootError: CommandFailure(.usage, error.message, hints: [error.hint])
        case let error as ScenarioError: CommandFailure(.failed, error.description, hint: error.hint)
        case let error as StoreError: CommandFailure(.failed, error.detail, hint: error.hint)
        case let error as TLSFailure: CommandFailure(.usage, error.detail, hints: [error.hint])
        case let error as OpenSSLFailure: CommandFailure(.failed, error.description)
        case RequestError.clockBehind(let lag): CommandFailure(.failed, lag.detail, hints: [lag.hint])
        case let lag as ClockLag: CommandFailure(.failed, lag.detail, hints: [lag.hint])
        case RequestError.notReady(let detail, let hint): CommandFailure(.usage, detail, hint: hint)
        case RequestError.noAppStoreServer(let environment):
            CommandFailure(.usage, environment.noAppStoreServer.detail, hint: environment.noAppStoreServer.hint)
        case RequestError.appStoreFailed(let failure): CommandFailure(.failed, failure.detail, hint: failure.hint)
        default: nil
        }
    }

    private init(_ status: ExitStatus, _ message: String, hint: String?) {
        self.init(status, message, hints: hint.map { [$0] } ?? [])
    }

    /// The same, with a hint for each variable whose value it shows: the operator may look for it in offerd.yaml.
    func naming(variables: [String: String]) -> CommandFailure {
        let sources = ["OFFERD_LISTEN", "OFFERD_METRICS", "OFFERD_DATABASE", "OFFERD_KEYS"].filter { name in
            guard let value = variables[name], !value.isEmpty else { return false }
            return [value, URL(filePath: value).path].contains { shown in
                lines.contains { $0.contains("`\(shown.printable)`") || $0.contains("(\(shown.printable):") }
            }
        }
        return CommandFailure(
            status, lines: lines + sources.map { "hint: \($0) in the environment sets `\(variables[$0] ?? "")`" })
    }
}
