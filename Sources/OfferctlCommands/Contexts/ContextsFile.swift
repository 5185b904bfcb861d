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
        guard stat(path, &status) == 0 || errno != ENOENT else { return ContextsConfiguration() }
        // It may name programs to run.
        guard status.st_mode & 0o022 == 0, [0, geteuid()].contains(status.st_uid) else {
            throw CommandFailure(
                .usage, "others can change `\(path)`", hints: ["it must be yours alone: chmod 600 \(path)"])
        }
        let bytes = try InputFile.bytes(path, "contexts", most: DocumentLimits.bytes)
        do throws(InvalidDocument) {
            return try ContextsReader.read(bytes).value
        } catch {
            throw CommandFailure(.usage, lines: IssueText.lines(error.errors, file: path))
        }
    }

    func write(_ contexts: ContextsConfiguration) throws {
        try Self.replace(path, with: ContextsWriter.yaml(contexts))
    }

    /// Where the token of a context is kept that came from no file and no command.
    func keptToken(of name: String) -> String { folder.appending(path: "tokens/\(name)").path }

    func keep(token: String, of name: String) throws { try Self.replace(keptToken(of: name), with: token + "\n") }

    /// Deletes the kept token of a context that is removed or has its token elsewhere now.
    func forgetToken(of name: String) { unlink(keptToken(of: name)) }

    private static func replace(_ path: String, with text: String) throws {
        try? FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let file = try AtomicFile(path: path)
        try file.write(text)
        try file.finish()
    }
}

extension ContextsConfiguration {
    /// The named context, or without a name the selected one; `nil` if none is selected.
    func chosen(_ name: String?) throws(CommandFailure) -> ContextConfiguration? {
        guard let name = name ?? current else { return nil }
        return try named(name)
    }

    func named(_ name: String) throws(CommandFailure) -> ContextConfiguration {
        if let context = context(name) { return context }
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
