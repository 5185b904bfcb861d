import ArgumentParser
import Foundation

/// The whole program but its process: runs a command line and says with which status to end.
public enum OfferctlProgram {
    /// Runs the command line that the process was started with, and ends the process.
    public static func run() async {
        exit(await run(Array(CommandLine.arguments.dropFirst())))
    }

    /// Runs a command line (without the program's name).
    ///
    /// - Returns: the exit status of docs/design.md#commands: 0 done, 1 the answer is no, 2 usage, 3 the server cannot be reached or
    ///   failed.
    static func run(_ arguments: [String]) async -> Int32 {
        do {
            var command = try Offerctl.parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return ExitStatus.done.rawValue
        } catch let failure as CommandFailure {
            return end(failure)
        } catch {
            return end(error)
        }
    }

    private static func end(_ failure: CommandFailure) -> Int32 {
        for line in failure.messages {
            Console.process.note(line)
        }
        return failure.status.rawValue
    }

    /// What ArgumentParser throws: help and versions, which are answers, its own exit codes, and usage errors.
    private static func end(_ error: any Error) -> Int32 {
        let code = Offerctl.exitCode(for: error)
        switch code {
        case .success:
            Console.process.write(Offerctl.fullMessage(for: error))
            return ExitStatus.done.rawValue
        case .validationFailure:
            return end(usageFailure(error))
        default:
            let message = Offerctl.message(for: error)
            return message.isEmpty ? code.rawValue : end(CommandFailure(.unavailable, message))
        }
    }

    /// ArgumentParser's message in our form; its usage lines name the command whose help to read.
    private static func usageFailure(_ error: any Error) -> CommandFailure {
        let message = Offerctl.message(for: error)
        let help = Offerctl.fullMessage(for: error).split(separator: "\n").compactMap { line -> String? in
            let quoted = line.split(separator: "'")
            return line.hasPrefix("  See '") && quoted.count == 3 ? String(quoted[1]) : nil
        }
        let parts = message.replacing(#/'([^']*)'/#) { "`\($0.output.1)`" }.split(separator: ". Did you mean")
        let guesses = parts.dropFirst().map { "did you mean\($0)" }
        let error = parts.first ?? "the command line cannot be read"
        let isAtRoot = help == ["offerctl --help"] && error.lowercased().hasPrefix("unknown option")
        let place = isAtRoot ? ["options stand after the command, such as `offerctl offers list --server URL`"] : []
        return CommandFailure(
            .usage, error.prefix(1).lowercased() + error.dropFirst().trimmedStop,
            hints: guesses + place + help.map { "`\($0)` shows what it takes" })
    }
}

extension Substring {
    /// Without a final full stop.
    fileprivate var trimmedStop: Substring { hasSuffix(".") ? dropLast() : self }
}
