import CommandLineSupport
import Foundation

struct Account {
    let name: String
    let user: uid_t
    let group: gid_t

    init(_ name: String) throws {
        guard let entry = getpwnam(name) else {
            throw CommandFailure(
                .usage, "there is no user `\(name)`",
                hints: ["the package creates `offerd`; elsewhere: `adduser --system --group \(name)`"])
        }
        (self.name, user, group) = (name, entry.pointee.pw_uid, entry.pointee.pw_gid)
        guard geteuid() == 0 || geteuid() == user else {
            throw CommandFailure(.usage, "only root can give files to `\(name)`", hints: ["run the command as root"])
        }
    }

    /// Whether the user could do this with a folder: `W_OK`, `X_OK`.
    func can(_ access: Int32, _ path: String) -> Bool {
        let former = become()
        defer { former.restore() }
        return faccessat(AT_FDCWD, path, access, AT_EACCESS) == 0
    }

    /// Makes this process act as the user, if it is root, until the former rights are restored.
    func become() -> FormerRights {
        let former = FormerRights(user: geteuid(), group: getegid())
        if former.user == 0 {
            // A signed number on macOS.
            initgroups(name, .init(truncatingIfNeeded: group))
            setegid(group)
            seteuid(user)
        }
        return former
    }

    struct FormerRights {
        fileprivate let user: uid_t
        fileprivate let group: gid_t

        func restore() {
            seteuid(user)
            setegid(group)
        }
    }
}
