import CommandLineSupport
import Foundation
import OfferDocuments

/// A user of the system, by name.
struct Account {
    let user: uid_t
    let group: gid_t

    init(_ name: String) throws {
        guard let entry = getpwnam(name) else {
            throw CommandFailure(
                .usage, "there is no user `\(name)`",
                hints: ["the package creates `offerd`; elsewhere: `adduser --system --group \(name)`"])
        }
        (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        guard geteuid() == 0 || geteuid() == user else {
            throw CommandFailure(.usage, "only root can give files to `\(name)`", hints: ["run the command as root"])
        }
    }
}

/// Several new files in one folder: all of them come into being, or none.
///
/// They are written to `.offerd-init.part`, which becomes `.offerd-init` once it is complete. From then on they are moved to
/// their names, by the next run if this one is interrupted.
struct StagedFiles {
    let folder: URL
    let owner: Account?

    enum Outcome {
        /// - Parameter kept: an `offerd.yaml` that was there already.
        case created(kept: String?)
        /// Only what an interrupted run had prepared was moved to its place.
        case finished
    }

    private var draft: URL { folder.appending(path: ".offerd-init.part") }
    private var complete: URL { folder.appending(path: ".offerd-init") }

    /// Creates the files.
    ///
    /// - Parameters:
    ///   - names: what must not exist yet. An `offerd.yaml` that names the folder's `keys.yaml` is kept.
    ///   - write: writes them to a folder, with the mode 0600.
    func create(_ names: [String], _ write: (URL) throws -> Void) throws -> Outcome {
        try makeFolder(folder)
        let lock = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(lock) }
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw CommandFailure(.failed, "another `offerd init` works in `\(folder.relativePath)`")
        }
        if exists(complete.path) {
            try publish()
            return .finished
        }
        try? FileManager.default.removeItem(at: draft)
        let kept = try keptConfiguration()
        try requireFree(names.filter { $0 != kept } + [try database(kept)])
        do {
            try makeFolder(draft)
            try write(draft)
            if let kept { try FileManager.default.removeItem(at: draft.appending(path: kept)) }
            try handOver()
            try Disk.flushContent(of: draft.path)
        } catch {
            try? FileManager.default.removeItem(at: draft)
            throw error
        }
        guard rename(draft.path, complete.path) == 0 else { throw unwritable(complete.lastPathComponent) }
        try Disk.flushName(of: complete.path)
        try publish()
        return .created(kept: kept)
    }

    /// `offerd.yaml` if there is one that leads to the new `keys.yaml`, as the package installs it.
    private func keptConfiguration() throws -> String? {
        let path = folder.appending(path: "offerd.yaml").path
        guard exists(path), let text = try? InputFile.text(path, "configuration"),
            let keys = try? ConfigurationReader.read(Array(text.utf8)).value.keys,
            URL(filePath: keys, relativeTo: folder).standardizedFileURL.path
                == folder.appending(path: "keys.yaml").standardizedFileURL.path
        else { return nil }
        return "offerd.yaml"
    }

    /// The path of the database: a new audit key would not fit an existing one.
    private func database(_ kept: String?) throws -> String {
        guard let kept else { return "offers.sqlite" }
        let text = try InputFile.text(folder.appending(path: kept).path, "configuration")
        return (try? ConfigurationReader.read(Array(text.utf8)).value.database) ?? "offers.sqlite"
    }

    private func requireFree(_ names: [String]) throws {
        let taken = names.filter { exists(URL(filePath: $0, relativeTo: folder).path) }
        guard taken.isEmpty else {
            let list = taken.map { "`\($0)`" }.joined(separator: ", ")
            throw CommandFailure(
                .failed, "`\(folder.relativePath)` already has \(list); nothing was created",
                hints: [
                    "name another folder; `offerd doctor --config FILE` checks an installation that exists"
                ])
        }
    }

    /// Gives the draft its modes and owners: secrets only to the owner, documents also to be read by the owner's group.
    private func handOver() throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: draft.path)
        for name in names {
            let path = draft.appending(path: name).path
            let isDocument = name.hasSuffix(".yaml")
            let mode: mode_t = isFolder(path) ? 0o700 : isDocument && owner != nil ? 0o640 : 0o600
            guard chmod(path, mode) == 0, give(path, isDocument: isDocument) else { throw unwritable(name) }
            if !isFolder(path) { try Disk.flushContent(of: path) }
        }
    }

    private func give(_ path: String, isDocument: Bool = false) -> Bool {
        guard let owner else { return true }
        return chown(path, isDocument ? uid_t.max : owner.user, owner.group) == 0
    }

    /// Moves the complete files to their names. One that is there already and is not the same file stays, and ends it.
    private func publish() throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: complete.path).sorted()
        for name in names where isFolder(complete.appending(path: name).path) {
            try makeFolder(folder.appending(path: name))
        }
        for name in names {
            let (staged, target) = (complete.appending(path: name).path, folder.appending(path: name).path)
            if isFolder(staged) { continue }
            // A rename would replace what another program has put there.
            if link(staged, target) != 0, FileIdentity(path: staged) != FileIdentity(path: target) {
                try requireFree([name])
                throw unwritable(name)
            }
            try Disk.flushName(of: target)
            unlink(staged)
        }
        try FileManager.default.removeItem(at: complete)
    }

    /// Makes a folder for its owner only; one that exists stays as it is.
    private func makeFolder(_ url: URL) throws {
        guard !isFolder(url.path) else { return }
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw unwritable(nil)
        }
        guard give(url.path) else { throw unwritable(nil) }
    }

    private func unwritable(_ name: String?) -> CommandFailure {
        CommandFailure(
            .failed,
            "`\(name.map { folder.appending(path: $0).relativePath } ?? folder.relativePath)` cannot be written",
            hints: ["check the folder's permissions and the space on its disk, then run the command again"])
    }

    private func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
