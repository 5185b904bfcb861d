import Foundation
import OfferModel

/// The room on a disk.
enum DiskSpace {
    /// How many bytes this user may still write beside a file; `nil` where the system does not say.
    static func free(beside path: String) -> Int64? {
        var disk = statvfs()
        let directory = URL(filePath: path).deletingLastPathComponent().path
        guard statvfs(directory, &disk) == 0 else { return nil }
        return Int64(
            clamping: UInt64(clamping: disk.f_bavail).saturatingMultiplied(by: UInt64(clamping: disk.f_frsize)))
    }
}
