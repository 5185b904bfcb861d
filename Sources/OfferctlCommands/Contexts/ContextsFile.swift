import CommandLineSupport
import Foundation
import OfferDocuments
import OfferModel

/// `contexts.yaml` of the user, and the folder of the tokens that `offerctl login` keeps.
struct ContextsFile {
    private let folder: URL

    var path: String { folder.appending(path: "contexts.yaml").path }

    /// `nil` where the user has no folder for settings.
    init?(_ environment: [String: String]) {
        func folder(_ name: String) -> URL? {
            // A relative path is none, by the XDG Base Directory Specification.
            environment[name].flatMap { $0.hasPrefix("/") ? URL(filePath: $0, directoryHint: .isDirectory) : nil }
        }
        guard let base = folder("XDG_CONFIG_HOME") ?? folder("HOME")?.appending(path: ".config") else { return nil }
        self.folder = base.appending(path: "offerd")
    }

    static func required(_ environment: [String: String]) throws(CommandFailure) -> ContextsFile {
        guard let file = ContextsFile(environment) else {
            throw CommandFailure(
                .usage, "there is no folder for contexts: neither XDG_CONFIG_HOME nor HOME is set",
                hints: ["set HOME, or use `--server` and OFFERCTL_TOKEN"])
        }
        return file
    }

    /// The contexts; none if there is no file.
    func read() throws(CommandFailure) -> ContextsConfiguration {
        var status = stat()
        guard stat(path, &status) == 0 else {
            try refuseBrokenLinks()
            return ContextsConfiguration()
        }
        // It may name programs to run.
        switch ForeignControl(status) {
        case .owner(let name):
            throw CommandFailure(
                .usage, "contexts file `\(path)` belongs to `\(name)`", hints: ["it must be yours, with mode 600"])
        case .permissions:
            throw CommandFailure(
                .usage, "others can change `\(path)`", hints: ["it must be yours alone: chmod 600 \(path)"])
        case nil: break
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure(.usage, "contexts file `\(path)` is not a regular file")
        }
        let bytes = try InputFile.bytes(path, "contexts file", most: DocumentLimits.bytes)
        do throws(InvalidDocument) {
            return try ContextsReader.read(bytes).value
        } catch {
            throw CommandFailure(.usage, lines: IssueText.lines(error.errors, file: path))
        }
    }

    /// Links often lead to a disk that is not there yet; its contexts are not lost.
    private func refuseBrokenLinks() throws(CommandFailure) {
        for place in [folder.deletingLastPathComponent().path, folder.path, path] {
            var status = stat()
            guard lstat(place, &status) == 0, stat(place, &status) != 0 else { continue }
            throw CommandFailure(
                .usage, "`\(place)` is a link that leads nowhere", hints: ["restore what it leads to, or remove it"])
        }
    }

    /// Changes the contexts while no other process does, then deletes each kept token that they no longer name.
    func change<Result>(_ body: (inout ContextsConfiguration) throws -> Result) throws -> Result {
        try refuseBrokenLinks()
        try Self.makeFolder(folder.path)
        let lock = try lock()
        defer { close(lock) }
        let before = try read()
        var after = before
        let result = try body(&after)
        try write(after)
        let used = Set(after.tokenFiles)
        let tokens = Self.resolved(tokensFolder.path)
        for file in before.tokenFiles where !used.contains(file) {
            if URL(filePath: file).deletingLastPathComponent().path == tokens { unlink(file) }
        }
        return result
    }

    private func lock() throws(CommandFailure) -> Int32 {
        let path = folder.appending(path: "contexts.lock").path
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .usage, "`\(path)` cannot be written", hints: ["check that its folder is yours and may be written to"])
        }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                close(descriptor)
                throw CommandFailure(.failed, "`\(path)` cannot be locked", hints: ["check the file system it is on"])
            }
        }
        return descriptor
    }

    /// Writes only what is read back.
    private func write(_ contexts: ContextsConfiguration) throws {
        let text = ContextsWriter.yaml(contexts)
        do throws(InvalidDocument) {
            _ = try ContextsReader.read(Array(text.utf8))
        } catch {
            let lines = error.errors.flatMap { issue in
                ["error: \(issue.detail) at \(issue.path)"] + (issue.hint.map { ["hint: \($0)"] } ?? [])
            }
            throw CommandFailure(.usage, lines: lines + ["hint: `\(path)` is as it was"])
        }
        try Self.replace(path, with: text)
    }

    private var tokensFolder: URL { folder.appending(path: "tokens") }

    /// Keeps a token that came from no file and no command under a name of its own, so that the one that a context has
    /// stays until the context names the new one.
    ///
    /// - Returns: the path.
    func keep(token: String, of name: String) throws -> String {
        try Self.makeFolder(tokensFolder.path)
        let path = tokensFolder.appending(path: "\(name).\(UUID().uuidString.prefix(8).lowercased())").path
        try Self.replace(path, with: token + "\n")
        return path
    }

    private static func makeFolder(_ path: String) throws(CommandFailure) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure(
                .usage, "the folder `\(path)` cannot be made",
                hints: ["check that the folder above it is yours and may be written to"])
        }
    }

    private static func replace(_ path: String, with text: String) throws {
        let file = try AtomicFile(path: path)
        try file.write(text)
        try file.finish()
    }

    fileprivate static func resolved(_ path: String) -> String { URL(filePath: path).resolvingSymlinksInPath().path }
}

extension ContextsConfiguration {
    /// The named context, or without a name the selected one; `nil` if none is selected.
    func chosen(_ name: String?) throws(CommandFailure) -> ContextConfiguration? {
        guard let name = name ?? current else { return nil }
        return try named(name)
    }

    /// The files with tokens, whatever links lead to them.
    fileprivate var tokenFiles: [String] {
        contexts.compactMap { context in
            guard case .file(let path) = context.token else { return nil }
            return ContextsFile.resolved(path)
        }
    }

    func named(_ name: String) throws(CommandFailure) -> ContextConfiguration {
        if let context = context(name) { return context }
        guard !name.contains("offerd_") else {
            throw CommandFailure(
                .usage, "what is given for the context is a token, not a name",
                hints: ["`offerctl contexts` lists the names; `offerctl login` saves a token under one"])
        }
        let meant = Suggestion.nearest(to: name, among: contexts.map(\.name))
        throw CommandFailure(
            .usage, "there is no context `\(name)`",
            hints: [
                meant.map { "did you mean `\($0)`?" } ?? "`offerctl contexts` lists them, `offerctl login` makes one"
            ])
    }
}

extension ContextConfiguration {
    var label: String { "context `\(name)`" }

    /// `com.example.pro in PRODUCTION at https://offers.example.com`
    func text(_ palette: Palette) -> String { "\(scope.text(palette)) at \(server.printable)" }
}
