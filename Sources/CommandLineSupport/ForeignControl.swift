package import Foundation

/// How another user could change a file that decides what a program of this user runs.
package enum ForeignControl {
    case owner(String)
    case permissions

    /// `nil` if only root and the effective user can change it.
    package init?(_ status: stat) {
        guard [0, geteuid()].contains(status.st_uid) else {
            let name = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) }
            self = .owner(name ?? String(status.st_uid))
            return
        }
        guard status.st_mode & 0o022 != 0 else { return nil }
        self = .permissions
    }
}
