import CommandLineSupport
import Foundation
import OfferDocuments

/// An installation to which `offerd init` adds: an `offerd.yaml`, and the `keys.yaml` beside it that it names.
struct PresentInstallation {
    let configuration: ServerConfiguration
    let keysText: String
    let keys: KeysConfiguration

    /// `nil` if there is none, or if an interrupted `offerd init` has to be finished first.
    init?(in folder: String) throws {
        let place = URL(filePath: folder, directoryHint: .isDirectory)
        func path(_ name: String) -> String { folder == "." ? name : place.appending(path: name).relativePath }
        func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }
        guard exists("keys.yaml"), !exists(StagedFiles.complete),
            let configuration = Self.configuration(path("offerd.yaml"))
        else { return nil }
        self.configuration = configuration
        keysText = try InputFile.text(path("keys.yaml"), "keys file")
        do throws(InvalidDocument) {
            keys = try KeysReader.read(Array(keysText.utf8)).value
        } catch {
            throw CommandFailure(.usage, lines: IssueText.lines(error.errors, file: path("keys.yaml")))
        }
    }

    /// An `offerd.yaml` that leads to the `keys.yaml` beside it, as the package installs it.
    static func configuration(_ path: String) -> ServerConfiguration? {
        guard let text = try? InputFile.text(path, "configuration"),
            let configuration = try? ConfigurationReader.read(Array(text.utf8)).value, let keys = configuration.keys
        else { return nil }
        let beside = URL(filePath: path).deletingLastPathComponent()
        let named = URL(filePath: keys, relativeTo: beside).standardizedFileURL.path
        return named == beside.appending(path: "keys.yaml").standardizedFileURL.path ? configuration : nil
    }
}
