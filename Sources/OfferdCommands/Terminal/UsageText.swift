/// What the argument parser says of wrong use, in our words: one error, the nearest option, and whose help to read.
enum UsageText {
    /// - Parameters:
    ///   - message: the parser's sentence, with names in `'…'`.
    ///   - full: the same with the usage, whose last line names the help.
    static func failure(_ message: String, full: String) -> CommandFailure {
        let help = full.split(separator: "\n").compactMap { line -> String? in
            let quoted = line.split(separator: "'")
            return line.hasPrefix("  See '") && quoted.count == 3 ? "`\(quoted[1])` shows what it takes" : nil
        }
        let parts = message.replacing(#/'([^']*)'/#) { "`\($0.output.1)`" }.split(separator: ". Did you mean")
        let guesses = parts.dropFirst().map { "did you mean\($0)" }
        let error = parts.first ?? "the command line cannot be read"
        let words = error.hasSuffix(".") ? error.dropLast() : error
        return .configuration(words.prefix(1).lowercased() + words.dropFirst(), hints: guesses + help)
    }
}
