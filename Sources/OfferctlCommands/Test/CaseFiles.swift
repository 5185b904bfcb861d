import Foundation

/// Finds files of cases.
enum CaseFiles {
    /// The file itself, or every JSON and YAML file of a directory and those below it, in the order of their names.
    ///
    /// - Throws: `CommandFailure` with status 2 if there is nothing to run.
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
