import Foundation

/// A file on its way to its place, beside it and named after the process that writes it: `state.json.4711.part`.
enum Draft {
    static func path(of target: String, process: pid_t) -> String { "\(target).\(process).part" }

    /// Takes away the drafts of a file whose processes are gone.
    ///
    /// One is gone if its number is nobody's here, and nobody holds the lock: on a disk that containers share, the number
    /// may be another container's.
    static func removeLeftovers(of target: String, except kept: [FileIdentity]) {
        let place = URL(filePath: target)
        let folder = place.deletingLastPathComponent().path
        let beginning = place.lastPathComponent + "."
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
        for name in names where name.hasPrefix(beginning) && name.hasSuffix(".part") {
            guard let process = pid_t(name.dropFirst(beginning.count).dropLast(".part".count)), process > 0 else {
                continue
            }
            let draft = path(of: target, process: process)
            guard URL(filePath: draft).lastPathComponent == name, isGone(process), isUnlocked(draft),
                !kept.contains(where: { $0 == FileIdentity(path: draft) })
            else { continue }
            unlink(draft)
        }
    }

    private static func isGone(_ process: pid_t) -> Bool {
        kill(process, 0) != 0 && errno == ESRCH
    }

    private static func isUnlocked(_ draft: String) -> Bool {
        let descriptor = open(draft, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
}
