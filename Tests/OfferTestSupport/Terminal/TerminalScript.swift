public import Foundation

/// One run of a program as a text file: what it shows, the command, what is there before, and what comes of it.
///
///     what it shows, in a sentence
///     $ catalog plan catalog.yaml --exit-code
///     --- file catalog.yaml
///     …
///     --- stdout
///     …
///     --- stderr
///     --- exit 1
///
/// What else a section may say is up to the program's own tests.
public struct TerminalScript: Sendable, CustomStringConvertible {
    /// A part of the file: the words after `---`, and the lines below.
    public struct Section: Sendable {
        /// What kind of section it is, then what that kind takes.
        public var words: [String]
        /// The lines, each with its line break.
        public var body: String
    }

    /// The file's name without `.txt`.
    public let name: String
    /// The command line's words, without the program.
    public private(set) var command: [String] = []
    /// Everything but what is expected.
    public private(set) var given: [Section] = []
    /// What stdout must say.
    public private(set) var output = ""
    /// What stderr must say.
    public private(set) var errorText = ""
    /// How the program must end.
    public private(set) var status: Int32 = 0

    /// The name, for the list of tests.
    public var description: String { name }

    /// Every script in a folder, by name.
    public static func all(in folder: URL) -> [TerminalScript] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().compactMap { try? TerminalScript(String($0.dropLast(4)), in: folder) }
    }

    /// Reads a script.
    ///
    /// - Throws: if there is no such file.
    public init(_ name: String, in folder: URL) throws {
        self.name = name
        let text = try String(contentsOf: folder.appending(path: "\(name).txt"), encoding: .utf8)
        let sections = text.split(separator: "\n--- ", omittingEmptySubsequences: false)
        for line in sections.first?.split(separator: "\n") ?? [] where line.hasPrefix("$ ") || line == "$" {
            command = ShellWords.split(line.dropFirst(2))
        }
        for section in sections.dropFirst() {
            let parts = section.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            // The line break before the next section ends the body's last line.
            let body = parts.count < 2 || parts[1].isEmpty ? "" : String(parts[1]) + "\n"
            add(Section(words: parts[0].split(separator: " ").map(String.init), body: body))
        }
    }

    private mutating func add(_ section: Section) {
        switch section.words.first {
        case "stdout": output = section.body
        case "stderr": errorText = section.body
        case "exit": status = Int32(section.words.dropFirst().first ?? "") ?? -1
        default: given.append(section)
        }
    }

    /// The sections of a kind.
    public func sections(_ kind: String) -> [Section] {
        given.filter { $0.words.first == kind }
    }

    /// The kinds of sections it has beside those of every script.
    public var kinds: Set<String> { Set(given.compactMap(\.words.first)) }

    /// Writes its files: `--- file NAME`, or `--- file NAME 0644` with permissions.
    ///
    /// - Throws: what the file system says.
    public func writeFiles(into directory: TemporaryDirectory) throws {
        for file in sections("file") where file.words.count > 1 {
            let permissions = file.words.count > 2 ? Int(file.words[2], radix: 8) : nil
            try directory.write(file.body, to: file.words[1], permissions: permissions)
        }
    }
}
