package import Glibc

/// Which file a name leads to.
package struct FileIdentity: Equatable, Sendable {
    let device: UInt64
    let inode: UInt64
    package let isRegular: Bool

    /// `nil` if there is no file by this name.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    package init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        isRegular = status.st_mode & S_IFMT == S_IFREG
    }

    /// Of a database.
    init(device: UInt64, inode: UInt64) {
        (self.device, self.inode, isRegular) = (device, inode, true)
    }
}
