import Foundation

/// Which file it is and when it was written last: another one tells that it is not what it was.
struct FileVersion: Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let modified: [Int]
    /// In bytes.
    let size: Int64

    /// `nil` if nothing can be told of it.
    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        modified = [Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec)]
        size = Int64(status.st_size)
    }
}
