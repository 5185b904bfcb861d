import CommandLineSupport
import Foundation
import OfferDocuments
import SQLiteStore

/// Several new files in one folder: all of them come into being, or none.
///
/// They are written to `.offerd-init.part`, which becomes `.offerd-init` once it is complete. From then on they are
/// moved to their names, by the next run if this one is interrupted.
///
/// The folder may belong to the service's user, who could replace any name in it by a link while root works there. So
/// root uses descriptors that follow no links, and keeps the draft to itself; the files have their modes and owners
/// before they leave it.
struct StagedFiles {
    private static let draft = ".offerd-init.part"
    static let complete = ".offerd-init"

    enum Outcome {
        /// - Parameter kept: what was there already: an `offerd.yaml`, a catalog.
        case created(kept: [String])
        /// Only what an interrupted run had prepared was moved to its place.
        case finished
    }

    private let place: URL
    private let owner: Account?
    /// Open and locked until the process ends.
    private let folder: Int32

    /// Enters the folder; makes it if it does not exist.
    init(_ path: String, owner: Account?) throws {
        self.owner = owner
        place = URL(filePath: path, directoryHint: .isDirectory)
        let name = place.relativePath
        try? FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        let isNew = mkdir(place.path, 0o700) == 0
        guard isNew || errno == EEXIST else { throw Self.failure("`\(name)` cannot be created") }
        folder = open(place.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (isNew ? O_NOFOLLOW : 0))
        guard folder >= 0, fchdir(folder) == 0 else { throw Self.failure("`\(name)` cannot be opened") }
        guard flock(folder, LOCK_EX | LOCK_NB) == 0 else {
            throw CommandFailure(
                .failed, "another `offerd init` is running in `\(name)`",
                hints: ["wait until it ends, then run the command again"])
        }
        if isNew, isOwn(folder) { try settle(".") }
    }

    /// Creates what the installation writes, and leaves the process in the folder.
    ///
    /// None of it may exist yet, but for an `offerd.yaml` that names the folder's `keys.yaml`, and a catalog; both are
    /// kept.
    func create(_ installation: NewInstallation) throws -> Outcome {
        if status(Self.complete, in: folder) != nil {
            let staged = try openOwn(Self.complete)
            try requireSameOptions(installation, staged)
            try publish(staged)
            return .finished
        }
        try discardDraft()
        let configuration = PresentInstallation.configuration("offerd.yaml")
        let keptDocument = configuration == nil ? nil : "offerd.yaml"
        // A new audit key would not fit an existing database.
        let database = configuration?.database ?? "offers.sqlite"
        try requireFree((installation.documents + installation.secrets).filter { $0 != keptDocument } + [database])
        try requireAccess(database, keptDocument)
        let kept = [keptDocument].compactMap(\.self) + present([installation.catalog])
        let staged = try makeDraft()
        do {
            try fill(staged) { try installation.write(except: kept) }
            guard renameat(folder, Self.draft, folder, Self.complete) == 0, Disk.flush(folder) == 0
            else { throw unwritable(Self.complete) }
        } catch {
            try? discardDraft()
            throw error
        }
        try publish(staged)
        return .created(kept: kept)
    }

    /// Adds to an installation that is there: first the new files, then `keys.yaml`, which names them. Interrupted, it
    /// leaves an installation that works as before.
    ///
    /// - Returns: the names of the files that were there already and are used.
    func add(_ installation: NewInstallation, to found: PresentInstallation) throws -> [String] {
        try discardDraft()
        let name = "keys.yaml"
        guard let old = status(name, in: folder), old.st_mode & S_IFMT == S_IFREG,
            try InputFile.text(name, "keys file") == found.keysText
        else {
            throw CommandFailure(
                .failed, "`\(shown(name))` changes meanwhile, or is a link", hints: ["run the command again"])
        }
        guard let text = installation.added(to: found.keysText) else {
            throw CommandFailure(
                .usage, "`\(shown(name))` is written in a form that `offerd init` cannot add to",
                hints: ["nothing was changed; add the environment by hand: keys.example shows every setting"])
        }
        try requireAccess(found.configuration.database ?? "offers.sqlite", "offerd.yaml")
        let kept = present(installation.contents.map(\.name) + [NewInstallation.tokens])
        try kept.forEach(installation.requireOwn)
        let staged = try makeDraft()
        do {
            try fill(staged) { try installation.write(except: kept) }
            try move(from: staged, to: folder, "")
            try enter(staged)
            try AtomicFile.create(text, at: name)
            let file = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
            defer { close(file) }
            guard file >= 0, fchown(file, old.st_uid, old.st_gid) == 0, fchmod(file, old.st_mode & 0o7777) == 0,
                Disk.flush(file) == 0, renameat(staged, name, folder, name) == 0, Disk.flush(folder) == 0
            else { throw unwritable(name) }
            try enter(folder)
        } catch {
            try? discardDraft()
            throw error
        }
        try discardDraft()
        return kept
    }

    /// Makes the folder of the first tokens where there is none, as in an installation that was made by hand.
    func addTokens(to found: PresentInstallation) throws {
        try requireAccess(found.configuration.database ?? "offers.sqlite", "offerd.yaml")
        guard present([NewInstallation.tokens]).isEmpty else { return }
        try discardDraft()
        let staged = try makeDraft()
        try fill(staged) { try NewInstallation.makeFolder(NewInstallation.tokens) }
        try move(from: staged, to: folder, "")
        try discardDraft()
    }

    private func makeDraft() throws -> Int32 {
        guard mkdir(Self.draft, 0o700) == 0 else { throw unwritable(Self.draft) }
        return try openOwn(Self.draft)
    }

    /// Writes files to the draft and settles them.
    private func fill(_ staged: Int32, _ write: () throws -> Void) throws {
        try enter(staged)
        try write()
        for name in try FileManager.default.subpathsOfDirectory(atPath: ".") { try settle(name) }
        guard Disk.flush(staged) == 0 else { throw unwritable(Self.draft) }
    }

    private func present(_ names: [String]) -> [String] { names.filter { status($0, in: folder) != nil } }

    private func requireFree(_ names: [String]) throws {
        let taken = names.filter { status($0, in: folder) != nil }
        guard taken.isEmpty else {
            let list = taken.map { "`\($0)`" }.joined(separator: ", ")
            throw CommandFailure(
                .failed, "`\(place.relativePath)` already has \(list); nothing was created",
                hints: ["name another folder; `offerd doctor --config FILE` checks an installation that exists"])
        }
    }

    /// The service must be able to read its files and to create its database.
    private func requireAccess(_ database: String, _ kept: String?) throws {
        guard let owner else {
            if geteuid() == 0, let kept, let status = status(kept, in: folder), status.st_gid != 0 {
                throw CommandFailure(
                    .usage, "the service that reads `\(shown(kept))` could not use files that belong to root",
                    hints: ["add `--owner` with the user that runs the service, such as `--owner offerd`"])
            }
            return
        }
        let here = FileManager.default.currentDirectoryPath
        let data = URL(filePath: database).deletingLastPathComponent().path
        let needs = [(data, W_OK | X_OK, "write to"), (here, X_OK, "open"), (here + "/keys", X_OK, "open")]
        for (path, access, verb) in needs {
            guard let status = status(path, in: folder), !owner.can(access, path) else { continue }
            let hint =
                status.st_uid == owner.user
                ? "let `\(owner.name)` pass through the folders above it, or name a folder elsewhere"
                : "`chown \(owner.name) \(path)`, or name another folder"
            throw CommandFailure(.failed, "`\(owner.name)` cannot \(verb) `\(path)`", hints: [hint])
        }
    }

    /// An interrupted run's files are finished only for the command that began them.
    private func requireSameOptions(_ installation: NewInstallation, _ staged: Int32) throws {
        let name = "keys.yaml"
        let isStaged = status(name, in: staged) != nil
        try enter(isStaged ? staged : folder)
        let found = status(name, in: isStaged ? staged : folder)
        let hasOwner = found.map { $0.st_mode & 0o040 != 0 } ?? false
        guard let found, (try? InputFile.text(name, "keys file")) == installation.keysDocument,
            hasOwner == (owner != nil), owner.map({ $0.group == found.st_gid }) ?? true
        else {
            throw CommandFailure(
                .failed,
                "an interrupted `offerd init` made `\(shown(isStaged ? "\(Self.complete)/\(name)" : name))` with other options",
                hints: [
                    "repeat the command with those options; to start over, delete `\(shown(Self.complete))` and what it created"
                ])
        }
    }

    /// Gives a file or folder its mode and owner: secrets only to the owner, documents also to be read by the owner's
    /// group.
    private func settle(_ name: String) throws {
        let file = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        defer { close(file) }
        let isDocument = name.hasSuffix(".yaml")
        let mode: mode_t = isFolder(status(name, in: AT_FDCWD)) ? 0o700 : isDocument && owner != nil ? 0o640 : 0o600
        guard file >= 0, fchmod(file, mode) == 0,
            owner.map({ fchown(file, isDocument ? uid_t.max : $0.user, $0.group) == 0 }) ?? true, Disk.flush(file) == 0
        else { throw unwritable(name) }
    }

    private func publish(_ staged: Int32) throws {
        try move(from: staged, to: folder, "")
        guard unlinkat(folder, Self.complete, AT_REMOVEDIR) == 0 else { throw unwritable(Self.complete) }
        try enter(folder)
    }

    /// Moves what one folder holds to another. What is there already and is not the same file stays, and ends it.
    private func move(from source: Int32, to target: Int32, _ path: String) throws {
        try enter(source)
        for name in try FileManager.default.contentsOfDirectory(atPath: ".").sorted() {
            let (staged, present) = (status(name, in: source), status(name, in: target))
            let isMoved: Bool
            if !isFolder(staged) {
                // A rename would replace what another program has put there.
                let failure = linkat(source, name, target, name, 0) == 0 ? 0 : errno
                guard failure != EEXIST || staged.map(FileIdentity.init) == present.map(FileIdentity.init)
                else { throw inTheWay(path + name) }
                isMoved =
                    (failure == 0 || failure == EEXIST) && Disk.flush(target) == 0 && unlinkat(source, name, 0) == 0
            } else if present == nil {
                isMoved = renameat(source, name, target, name) == 0
            } else {
                let (from, to) = (openFolder(name, in: source), openFolder(name, in: target))
                defer { [from, to].forEach { close($0) } }
                guard to >= 0 else { throw inTheWay(path + name) }
                try move(from: from, to: to, path + name + "/")
                isMoved = unlinkat(source, name, AT_REMOVEDIR) == 0
            }
            guard isMoved, Disk.flush(target) == 0 else { throw unwritable(path + name) }
        }
    }

    private func discardDraft() throws {
        guard status(Self.draft, in: folder) != nil else { return }
        try enter(openOwn(Self.draft))
        for name in try FileManager.default.contentsOfDirectory(atPath: ".") {
            try FileManager.default.removeItem(atPath: name)
        }
        guard unlinkat(folder, Self.draft, AT_REMOVEDIR) == 0 else { throw unwritable(Self.draft) }
        try enter(folder)
    }

    /// Opens one of the two folders that only this user may change.
    private func openOwn(_ name: String) throws -> Int32 {
        let descriptor = openFolder(name, in: folder)
        guard descriptor >= 0, isOwn(descriptor) else {
            throw CommandFailure(
                .failed, "`\(shown(name))` is not a folder that `offerd init` made as this user",
                hints: ["run the command as the user who ran it before, or delete `\(shown(name))`"])
        }
        return descriptor
    }

    private func isOwn(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_uid == geteuid() && status.st_mode & 0o022 == 0
    }

    private func openFolder(_ name: String, in folder: Int32) -> Int32 {
        openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }

    private func enter(_ folder: Int32) throws {
        guard fchdir(folder) == 0 else { throw Self.failure("`\(place.relativePath)` cannot be entered") }
    }

    /// Describes a file, or a link itself; `nil` if there is none.
    private func status(_ name: String, in folder: Int32) -> stat? {
        var status = stat()
        return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    private func isFolder(_ status: stat?) -> Bool { status.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }

    private func shown(_ name: String) -> String {
        name == "." ? place.relativePath : place.appending(path: name).relativePath
    }

    private func inTheWay(_ name: String) -> CommandFailure {
        CommandFailure(
            .failed, "`\(shown(name))` is in the way of the new file of that name",
            hints: ["move it, then run the command again"])
    }

    private func unwritable(_ name: String) -> CommandFailure {
        CommandFailure(
            .failed, "`\(shown(name))` cannot be written",
            hints: ["check the folder's permissions and the space on its disk, then run the command again"])
    }

    /// With the system's reason.
    private static func failure(_ message: String) -> CommandFailure {
        CommandFailure(
            .failed, "\(message): \(String(cString: strerror(errno)).lowercased())",
            hints: ["check the path and its permissions, then run the command again"])
    }
}
