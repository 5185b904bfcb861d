import ArgumentParser

/// `offerctl test FILE|DIR`: runs cases on the evaluator of the server, without one.
struct TestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run cases: who gets an offer and why, without a server.",
        discussion: """
            A case states a history, an instant and the expected answer; it is decided by the same code as on the server. \
            In a directory every file *.json, *.yaml and *.yml is run, in the order of their names, those in directories \
            below too. docs/cases.md explains the format.

            Exit status: 0 if every case passes, 1 if one fails, 2 if a file cannot be read or used.

            Example:
              offerctl test Examples/cases
            """)

    @Argument(
        help: ArgumentHelp("A file of cases, or a directory of such files.", valueName: "file-or-directory"),
        completion: .file(extensions: ["yaml", "yml", "json"]))
    var paths: [String]

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        let console = Console.process
        let files = try paths.flatMap { try CaseFiles.find(at: $0) }
        var catalogs = CaseCatalogs()
        let results = files.map { CaseFileResult(reading: $0, &catalogs) }
        let report = CaseReport(results)
        let errors = catalogs.messages + results.flatMap(\.messages)
        if json {
            console.write(try report.json())
        } else {
            console.write(report.text(console.palette))
        }
        if report.hasInvalidFiles { throw CommandFailure(.usage, messages: json ? [] : errors) }
        if !json { errors.forEach(console.note) }
        if report.failed > 0 { throw CommandFailure.answeredNo }
    }
}
