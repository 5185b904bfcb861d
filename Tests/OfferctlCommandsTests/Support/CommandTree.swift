import ArgumentParser

@testable import OfferctlCommands

/// Every command the program has, by its words.
enum CommandTree {
    /// All, the root's empty path first.
    static let all = paths(Offerctl.self, [])

    /// Those that do something themselves.
    static let leaves = all.filter { path in !all.contains { $0.count > path.count && $0.starts(with: path) } }

    private static func paths(_ command: any ParsableCommand.Type, _ path: [String]) -> [[String]] {
        [path]
            + command.configuration.subcommands.flatMap { subcommand in
                paths(subcommand, path + [subcommand.configuration.commandName ?? ""])
            }
    }
}
