/// The examples in the help of a command.
public enum HelpExamples {
    /// The lines of the examples that a shell would not run as they are printed: one that neither begins a command of
    /// the two programs nor continues a line that ends with `\`, and one that ends with `\` and is not continued.
    public static func broken(in help: String) -> [String] {
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let heading = lines.firstIndex(of: "Example:") else { return [] }
        let examples = lines[(heading + 1)...].prefix { !$0.isEmpty }
        var broken: [String] = []
        var previous = ""
        for line in examples {
            let isContinued = previous.hasSuffix(" \\")
            let begins = line.hasPrefix("  offerd ") || line.hasPrefix("  offerctl ")
            if isContinued && begins { broken.append(previous) }
            if !isContinued && !begins || isContinued && !begins && !line.hasPrefix("    ") { broken.append(line) }
            previous = line
        }
        return previous.hasSuffix(" \\") ? broken + [previous] : broken
    }
}
