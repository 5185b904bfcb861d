import ArgumentParser
import Foundation
import SQLiteStore

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the database into a new file, also while the server runs.",
        discussion: """
            The copy is the database at one moment; the server goes on meanwhile. It is checked before it gets its name, \
            readable by its owner alone, and never replaces a file. It holds no private key and no token, but customers' \
            histories and live signatures: protect it as the original.

            Example:
              offerd backup --config offerd.yaml --out offers-2026-12-01.sqlite
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "The file to make; it must not exist.", completion: .file())
    var out: String

    func run() throws {
        let setup = try options.setup()
        guard !FileManager.default.fileExists(atPath: out) else {
            throw CommandFailure.failed(
                "`\(out)` exists already and is not replaced", hints: ["give the copy another name"])
        }
        let content = try SQLiteDatabase.copy(from: setup.databasePath, to: out)
        try DirectoryEntries.flush(of: out)
        try Terminal.output("made \(out)")
        for line in ContentText.lines(content) { try Terminal.output(line) }
    }
}
