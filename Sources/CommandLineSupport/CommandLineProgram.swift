package import ArgumentParser
import CBuild
import OfferModel

/// A program but for its process: parses a command line, runs the command and says how to end.
package struct CommandLineProgram<Root: ParsableCommand> {
    /// How an error ends the program that `failure` has no words for.
    let unexpected: ExitStatus
    /// A command line with an option in its place, for users who put one before the command.
    let example: String
    let output: (String) throws -> Void
    let failure: (any Error) -> CommandFailure?

    package init(
        _ root: Root.Type, unexpected: ExitStatus, example: String,
        output: @escaping (String) throws -> Void = Console.write,
        failure: @escaping (any Error) -> CommandFailure? = { $0 as? CommandFailure }
    ) {
        self.unexpected = unexpected
        self.example = example
        self.output = output
        self.failure = failure
    }

    /// Runs a command line without the program's name.
    package func run(_ arguments: [String]) async -> Int32 {
        do {
            var command = try Root.parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return ExitStatus.done.rawValue
        } catch {
            return end(error, arguments)
        }
    }

    private func end(_ error: any Error, _ arguments: [String]) -> Int32 {
        if let failure = failure(error) {
            failure.lines.map(\.withoutSecrets).forEach(Console.note)
            return failure.status.rawValue
        }
        let code = Root.exitCode(for: error)
        switch code {
        case .success:
            do {
                try output(Root.fullMessage(for: error))
                return ExitStatus.done.rawValue
            } catch {
                return end(error, arguments)
            }
        case .validationFailure:
            return end(usageFailure(error, arguments), arguments)
        default:
            let message = Root.message(for: error)
            return message.isEmpty ? code.rawValue : end(CommandFailure(unexpected, message), arguments)
        }
    }

    /// The argument parser's sentence in our form; its usage lines name the command whose help to read.
    private func usageFailure(_ error: any Error, _ arguments: [String]) -> CommandFailure {
        let help = Root.fullMessage(for: error).split(separator: "\n").compactMap { line -> Substring? in
            let quoted = line.split(separator: "'")
            return line.hasPrefix("  See '") && quoted.count == 3 ? quoted[1] : nil
        }
        let sentences = Root.message(for: error).replacing(#/'([^']*)'/#) { "`\($0.output.1)`" }
            .split(separator: ". Did you mean")
        let parts = sentences.first?.split(separator: ". Please ").map { $0.hasSuffix(".") ? $0.dropLast() : $0 } ?? []
        let message = parts.first ?? "the command line cannot be read"
        let guesses = sentences.dropFirst().map { "did you mean\($0)" } + parts.dropFirst().map(String.init)
        let name = Root.configuration.commandName ?? ""
        let isMisplaced = help == [name + " --help"] && message.lowercased().hasPrefix("unknown option")
        return CommandFailure(
            .usage, message.prefix(1).lowercased() + message.dropFirst(),
            hints: guesses + (misspelt(arguments).map { ["did you mean `\($0)`?"] } ?? [])
                + (isMisplaced ? ["options go after the command, such as `\(example)`"] : [])
                + help.map { "`\($0)` shows what it takes" })
    }

    /// The command that was probably meant by an unknown word; `nil` if there is none like it.
    private func misspelt(_ arguments: [String]) -> String? {
        var command: any ParsableCommand.Type = Root.self
        var path = [Root.configuration.commandName ?? ""]
        for word in arguments {
            let names = command.configuration.subcommands.compactMap { $0.configuration.commandName }
            guard !names.isEmpty, !word.hasPrefix("-") else { return nil }
            guard let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == word })
            else {
                return Suggestion.nearest(to: word, among: names).map { (path + [$0]).joined(separator: " ") }
            }
            (command, path) = (next, path + [word])
        }
        return nil
    }
}

extension String {
    /// Without the secret of any API key's token: a message quotes what was given in the wrong place, and ends in logs.
    fileprivate var withoutSecrets: String {
        replacing(#/(offerd_[a-z]+_(?:live|test)_[0-9a-f]{16}_)[0-9a-f]+/#) { "\($0.output.1)…" }
    }
}

package enum ProgramVersion {
    /// By semantic versioning.
    package static let number = "0.1.0"

    /// The text of `--version`: the number, and the commit if the build was told it, as in `0.1.0 (3974bb0c21aa)`.
    package static var text: String {
        let commit = String(cString: offerd_commit())
        return commit.isEmpty ? number : "\(number) (\(commit))"
    }
}

/// How a command ends (docs/design.md#commands).
package enum ExitStatus: Int32, Sendable {
    case done = 0
    /// It failed, or the answer is no: not eligible, undetermined, an invalid catalog, a refusal by the server.
    case failed = 1
    /// The command line, a configuration or a file cannot be used.
    case usage = 2
    /// The server cannot be reached, or failed.
    case unavailable = 3
}

package struct CommandFailure: Error, Hashable {
    package let status: ExitStatus
    /// The text for stderr: lines `error: …`, each followed by its `hint: …`; none if stdout has said it all.
    package let lines: [String]

    /// - Parameter lines: printed as they are, but for line breaks, which would look like another message.
    package init(_ status: ExitStatus, lines: [String]) {
        self.status = status
        self.lines = lines.map(\.printable)
    }

    package init(_ status: ExitStatus, _ message: String, hints: [String] = []) {
        self.init(status, lines: ["error: " + message] + hints.map { "hint: " + $0 })
    }

    /// The same, but with another status.
    package func with(_ status: ExitStatus) -> CommandFailure { CommandFailure(status, lines: lines) }

    /// The answer is no, and stdout has said so.
    package static let answeredNo = CommandFailure(.failed, lines: [])

    package var message: String { texts("error: ").first ?? "" }

    package var hints: [String] { texts("hint: ") }

    private func texts(_ label: String) -> [String] {
        lines.filter { $0.hasPrefix(label) }.map { String($0.dropFirst(label.count)) }
    }
}
