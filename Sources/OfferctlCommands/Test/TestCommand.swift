import ArgumentParser
import CommandLineSupport
import Foundation
import OfferDocuments
import OfferModel

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
    var paths: [String] = []

    @Flag(
        help: """
            Decide cases from standard input, a JSON document of one case each line, and print each decision as a line. See \
            Examples/conformance.
            """)
    var lines = false

    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        guard lines else {
            guard paths.isEmpty else { return }
            throw ValidationError("name a file of cases, or a directory of such files")
        }
        guard paths.isEmpty else { throw ValidationError("`--lines` reads standard input, not files") }
        guard !output.isGiven else {
            throw ValidationError("`--lines` prints JSON, so it takes no other form of output")
        }
    }

    func run() async throws {
        if lines { return try CaseAnswer.answerLines() }
        let files = try paths.flatMap { try CaseFiles.find(at: $0) }
        var catalogs = CaseCatalogs()
        let results = files.map { CaseFileResult(reading: $0, &catalogs) }
        let report = CaseReport(results: results)
        let errors = catalogs.messages + results.flatMap(\.document.messages)
        Console.write(try output.data(report.json()) ?? output.palette.wrap(report.text(output.palette)))
        if report.hasInvalidFiles { throw CommandFailure(.usage, lines: output.isData ? [] : errors) }
        if !output.isData { errors.forEach(Console.note) }
        if report.failed > 0 { throw CommandFailure.answeredNo }
    }
}

enum CaseFiles {
    /// The file itself, or every JSON and YAML file of a directory and those below it, in the order of their names.
    static func find(at path: String) throws(CommandFailure) -> [String] {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw CommandFailure(.usage, "`\(path)` cannot be read: there is no such file")
        }
        guard isDirectory.boolValue else { return [path] }
        guard let names = try? FileManager.default.subpathsOfDirectory(atPath: path) else {
            throw CommandFailure(.usage, "`\(path)` cannot be read: the file system refused it")
        }
        let files = names.filter(isCaseFile).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        guard !files.isEmpty else {
            throw CommandFailure(
                .usage, "`\(path)` has no cases",
                hints: ["cases are files `*.json`, `*.yaml` and `*.yml`; docs/cases.md explains them"])
        }
        let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
        return files.map { "\(folder)/\($0)" }
    }

    private static func isCaseFile(_ name: String) -> Bool {
        let file = name.split(separator: "/").last ?? ""
        return !file.hasPrefix(".") && [".json", ".yaml", ".yml"].contains { file.lowercased().hasSuffix($0) }
    }
}

/// The catalogs that files of cases name, each read once.
struct CaseCatalogs {
    private var catalogs: [String: Catalog?] = [:]
    /// Their errors, each with its file and line; those of a catalog once.
    private(set) var messages: [String] = []

    /// The catalog at a path relative to the file that names it; `nil` if it cannot be used.
    mutating func read(_ path: String, namedIn file: String) -> Catalog? {
        let place = path.hasPrefix("/") ? path : Self.joined(file, path)
        if let known = catalogs[place] { return known }
        let catalog = read(place)
        catalogs.updateValue(catalog, forKey: place)
        return catalog
    }

    private mutating func read(_ place: String) -> Catalog? {
        let document = ReadDocument(place) {
            try CatalogReader.read(InputFile.bytes(place), isJSON: CatalogFile.isJSON(place))
        }
        messages += document.errorMessages
        return document.value
    }

    /// The path as people would write it: `Examples/cases/../usage-trial.yaml` is `Examples/usage-trial.yaml`.
    private static func joined(_ file: String, _ path: String) -> String {
        var steps = file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        for step in path.split(separator: "/") {
            if step == ".", !steps.isEmpty { continue }
            if step == "..", let last = steps.last, last != "..", last != ".", last != "" {
                steps.removeLast()
            } else {
                steps.append(step)
            }
        }
        return steps.joined(separator: "/")
    }
}
