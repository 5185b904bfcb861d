package import ArgumentParser

/// A program but for its process: parses a command line, runs the command and says how to end.
package struct CommandLineProgram<Root: ParsableCommand> {
    /// How an error ends the program that `failure` has no words for.
    let unexpected: ExitStatus
    /// A command line with an option in its place, for users who put one before the command.
    let example: String
    let output: (String) throws -> Void
    /// An error in words.
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
            return end(error)
        }
    }

    private func end(_ error: any Error) -> Int32 {
        if let failure = failure(error) {
            failure.lines.forEach(Console.note)
            return failure.status.rawValue
        }
        let code = Root.exitCode(for: error)
        switch code {
        case .success:
            do {
                try output(Root.fullMessage(for: error))
                return ExitStatus.done.rawValue
            } catch {
                return end(error)
            }
        case .validationFailure:
            return end(usageFailure(error))
        default:
            let message = Root.message(for: error)
            return message.isEmpty ? code.rawValue : end(CommandFailure(unexpected, message))
        }
    }

    /// The argument parser's sentence in our form; its usage lines name the command whose help to read.
    private func usageFailure(_ error: any Error) -> CommandFailure {
        let help = Root.fullMessage(for: error).split(separator: "\n").compactMap { line -> Substring? in
            let quoted = line.split(separator: "'")
            return line.hasPrefix("  See '") && quoted.count == 3 ? quoted[1] : nil
        }
        let sentences = Root.message(for: error).replacing(#/'([^']*)'/#) { "`\($0.output.1)`" }
            .split(separator: ". Did you mean")
        let message = sentences.first ?? "the command line cannot be read"
        let guesses = sentences.dropFirst().map { "did you mean\($0)" }
        let name = Root.configuration.commandName ?? ""
        let isMisplaced = help == [name + " --help"] && message.lowercased().hasPrefix("unknown option")
        return CommandFailure(
            .usage, message.prefix(1).lowercased() + message.dropFirst().dropLast(message.hasSuffix(".") ? 1 : 0),
            hints: guesses + (isMisplaced ? ["options go after the command, such as `\(example)`"] : [])
                + help.map { "`\($0)` shows what it takes" })
    }
}
