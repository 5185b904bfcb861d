import Yams

/// The library's complaints in our words.
enum YAMLSyntax {
    static func refusal(_ error: YamlError, in text: String) -> DocumentRefusal {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            refusal(problem: problem, context: context, mark: mark, text: text)
        default:
            DocumentRefusal(.syntax, at: .start, "the document is not YAML")
        }
    }

    private static func refusal(
        problem: String, context: YamlError.Context?, mark: Mark, text: String
    ) -> DocumentRefusal {
        // The library counts a line more at the end of a text without a last line break.
        let lines = text.utf8.count { $0 == 0x0A || $0 == 0x0D } + 1
        let position = DocumentPosition(line: min(mark.line, lines), column: mark.column)
        if problem.hasPrefix("Maximum nesting level") {
            return DocumentRefusal(
                .tooDeep, at: position, "the document is nested deeper than \(DocumentLimits.depth) levels")
        }
        if problem.contains("another document") {
            return DocumentRefusal(
                .multipleDocuments, at: position, "the file holds more than one document",
                hint: "put each document into a file of its own")
        }
        let situation = context.map { " \($0.text) that began in line \($0.mark.line)" } ?? ""
        return DocumentRefusal(
            .syntax, at: position, "not YAML: \(problem)\(situation)",
            hint: "check the indentation, and that brackets and quotes are closed")
    }
}
