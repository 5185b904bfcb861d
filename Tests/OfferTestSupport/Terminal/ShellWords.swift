/// The words of a command line as documents and scripts write it.
public enum ShellWords {
    /// Splits at blanks outside of `"…"` and `'…'`.
    public static func split(_ line: some StringProtocol) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            switch character {
            case quote: quote = nil
            case "\"" where quote == nil, "'" where quote == nil:
                quote = character
                word = word ?? ""
            case " " where quote == nil:
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}
