import Foundation

/// A file that only its owner can read, and that is put in its place when it is whole: what was there stays until then.
final class PrivateFile {
    let path: String
    private let target: String
    private let draft: String
    private var handle: FileHandle?

    /// Begins the file beside its place.
    ///
    /// - Throws: ``CommandFailure`` where it cannot be made, or the place is taken by what is no file.
    init(path: String) throws {
        self.path = path
        // A link stays, and what it leads to is replaced.
        target = URL(filePath: path).resolvingSymlinksInPath().path
        draft = Draft.path(of: target, process: getpid())
        if let place = FileIdentity(path: target), !place.isRegular {
            throw CommandFailure.configuration("`\(path)` is not a regular file", hints: ["name a file to be written"])
        }
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure.configuration(
                "`\(path)` cannot be written", hints: ["check that the directory exists and may be written to"])
        }
        // Held until it is closed: see `Draft`.
        flock(descriptor, LOCK_EX | LOCK_NB)
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Takes away what processes that were killed have left beside a file of this path.
    ///
    /// - Parameter kept: files that stay, whatever they are called.
    static func removeLeftovers(of path: String, except kept: [String] = []) {
        Draft.removeLeftovers(
            of: URL(filePath: path).resolvingSymlinksInPath().path, except: kept.compactMap(FileIdentity.init))
    }

    /// Lets go of a file that was not finished.
    deinit {
        if handle != nil { unlink(draft) }
    }

    /// Adds to it.
    ///
    /// - Throws: ``CommandFailure``.
    func write(_ text: String) throws {
        do {
            try handle?.write(contentsOf: Data(text.utf8))
        } catch {
            throw unwritable
        }
    }

    /// Puts it in its place, so that it survives the loss of power; nothing can be added then.
    ///
    /// - Throws: ``CommandFailure``.
    func finish() throws {
        guard let handle else { return }
        do {
            try handle.synchronize()
        } catch {
            throw unwritable
        }
        guard rename(draft, target) == 0 else { throw unwritable }
        self.handle = nil
        try DirectoryEntries.flush(of: target)
    }

    private var unwritable: CommandFailure {
        .failed("`\(path)` cannot be written any more", hints: ["free space on its disk, then give the command again"])
    }
}

/// Which file a name leads to, whatever it is called.
struct FileIdentity: Equatable {
    private let device: UInt64
    private let inode: UInt64
    let isRegular: Bool

    /// `nil` if there is nothing by this name.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        isRegular = status.st_mode & S_IFMT == S_IFREG
    }
}
