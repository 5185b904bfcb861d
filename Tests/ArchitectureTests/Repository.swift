import Foundation

/// A text file of this repository.
struct SourceFile: Sendable, CustomStringConvertible {
    /// Its path from the repository's root.
    let path: String
    let text: String

    var description: String { path }

    /// The target it belongs to: the folder below `Sources`.
    var target: String {
        let parts = path.split(separator: "/")
        return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : ""
    }
}

/// The files that people and tools read, found from where this file lies.
struct Repository {
    /// Folders with text of ours. Build products and local state are elsewhere.
    static let folders = ["Sources", "Tests", "docs", "Examples", "Scripts", ".ci", ".github"]
    static let files = [
        "Package.swift", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "openapi.yaml", "keys.example",
    ]

    let root: URL

    init(testFile: String = #filePath) {
        root = URL(filePath: testFile).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }

    /// The names of the folders below `Sources`.
    func targets() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "Sources").path).sorted()
    }

    /// Every Swift file below `Sources`.
    func sources() throws -> [SourceFile] {
        try files(below: "Sources").filter { $0.path.hasSuffix(".swift") }
    }

    /// Every text file of ours, sources included.
    func everything() throws -> [SourceFile] {
        try Self.folders.flatMap(files(below:)) + Self.files.compactMap(file)
    }

    /// Every text file below a folder; none if there is no such folder.
    func files(below folder: String) throws -> [SourceFile] {
        let start = root.appending(path: folder)
        guard FileManager.default.fileExists(atPath: start.path) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: start.path).sorted()
            .filter { !$0.contains("__pycache__") }
            .compactMap { file("\(folder)/\($0)") }
    }

    /// A file if it is there and is text.
    func file(_ path: String) -> SourceFile? {
        guard let bytes = try? Data(contentsOf: root.appending(path: path)) else { return nil }
        return String(bytes: bytes, encoding: .utf8).map { SourceFile(path: path, text: $0) }
    }
}
