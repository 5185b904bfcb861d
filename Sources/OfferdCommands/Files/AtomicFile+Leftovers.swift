import CommandLineSupport
import Foundation
import OfferModel
import SQLiteStore

extension AtomicFile {
    /// Deletes the drafts of a file that killed processes left.
    ///
    /// A process is gone if it does not run here and does not hold the lock: on a disk that containers share, its
    /// number may be another container's.
    ///
    /// - Parameter kept: files that stay, whatever they are called.
    static func removeLeftovers(of path: String, except kept: [String] = []) {
        let target = URL(filePath: path).resolvingSymlinksInPath()
        let kept = kept.compactMap(FileIdentity.init)
        let prefix = target.lastPathComponent + "."
        let names = try? FileManager.default.contentsOfDirectory(atPath: target.deletingLastPathComponent().path)
        for name in names ?? [] where name.hasPrefix(prefix) && name.hasSuffix(".part") {
            guard let process = pid_t(name.dropFirst(prefix.count).dropLast(".part".count)), process > 0 else {
                continue
            }
            let draft = draft(of: target.path, process: process)
            let isGone = kill(process, 0) != 0 && errno == ESRCH
            guard URL(filePath: draft).lastPathComponent == name, isGone, isUnlocked(draft),
                !kept.contains(where: { $0 == FileIdentity(path: draft) })
            else { continue }
            unlink(draft)
        }
    }

    private static func isUnlocked(_ draft: String) -> Bool {
        let descriptor = open(draft, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
}
