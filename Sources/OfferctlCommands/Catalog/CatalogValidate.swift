import ArgumentParser

/// `offerctl catalog validate FILE`: reads a catalog file without a server and reports everything wrong with it.
struct CatalogValidate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check a catalog file, without a server.",
        discussion: """
            Finds every error in one pass, with its line. Exit status: 0 if the file is valid, 1 if it is not, 2 if it \
            cannot be read.

            Example:
              offerctl catalog validate Examples/catalog.yaml
            """)

    @Argument(
        help: ArgumentHelp("The catalog, YAML or JSON.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml", "json"]))
    var file: String

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        let console = Console.process
        let validation = CatalogValidation(try FileDocument.read(file), file: file)
        if json {
            console.write(try validation.json())
            if !validation.isValid { throw CommandFailure.answeredNo }
            return
        }
        guard let summary = validation.summary else { throw CommandFailure(.no, messages: validation.messages) }
        validation.messages.forEach(console.note)
        console.write(summary)
    }
}
