/// A command of a document, and what the document says that it prints.
struct DocumentedCommand: Sendable, Equatable {
    /// The line of the document, from 1.
    var line: Int
    /// The command as a shell takes it, over several lines perhaps.
    var text: String
    /// Its output, errors included; `nil` if the document does not show it: then the command has to succeed.
    var output: String?
}

/// A document's instructions: files to save and commands to run.
///
/// Commands stand in blocks fenced with ` ```console `, each after `$ `; the output follows. A YAML block after the
/// comment `<!-- file: NAME -->` is a file that the reader saves. `Scripts/quickstart.py` reads the quickstarts alike.
struct DocumentedSession: Sendable {
    var commands: [DocumentedCommand] = []
    var files: [String: String] = [:]

    init(_ text: String) {
        var fence: String?
        var file: String?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if fence != nil, line == "```" {
                (fence, file) = (nil, nil)
            } else if let open = fence {
                if open == "console" { add(String(line), at: index + 1) }
                if let file, open == "yaml" { files[file, default: ""] += line + "\n" }
            } else if line.hasPrefix("```") {
                fence = String(line.dropFirst(3))
            } else if line.hasPrefix("<!-- file: ") {
                file = String(line.dropFirst(11).prefix { $0 != " " })
            }
        }
    }

    private mutating func add(_ line: String, at number: Int) {
        if line.hasPrefix("$ ") {
            commands.append(DocumentedCommand(line: number, text: String(line.dropFirst(2))))
        } else if let last = commands.indices.last {
            if commands[last].output == nil, commands[last].text.isUnfinishedCommand {
                commands[last].text += "\n" + line
            } else {
                commands[last].output = (commands[last].output ?? "") + line + "\n"
            }
        }
    }
}

extension String {
    /// Whether a shell would wait for more: after a backslash or inside of single quotes.
    fileprivate var isUnfinishedCommand: Bool {
        hasSuffix("\\") || !count(where: { $0 == "'" }).isMultiple(of: 2)
    }
}
