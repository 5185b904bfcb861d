public import ArgumentParser

/// The commands that a program has, each by its words.
public enum CommandTree {
    /// All of them, the root's empty path first.
    public static func all(_ root: any ParsableCommand.Type) -> [[String]] {
        paths(root, [])
    }

    /// Those that do something themselves.
    public static func leaves(_ root: any ParsableCommand.Type) -> [[String]] {
        let all = all(root)
        return all.filter { path in !all.contains { $0.count > path.count && $0.starts(with: path) } }
    }

    private static func paths(_ command: any ParsableCommand.Type, _ path: [String]) -> [[String]] {
        [path]
            + command.configuration.subcommands.flatMap { subcommand in
                paths(subcommand, path + [subcommand.configuration.commandName ?? "unnamed"])
            }
    }
}
