import Foundation

/// Which file it is and when it was written last: another one tells that it is not what it was.
struct FileVersion: Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let times: [Int]
    /// In bytes.
    let size: Int64

    /// `nil` if nothing can be told of it.
    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        times = [status.st_mtim, status.st_ctim].flatMap { [Int($0.tv_sec), Int($0.tv_nsec)] }
        size = Int64(status.st_size)
    }
}
