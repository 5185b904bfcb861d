import Foundation
import SQLiteStore

/// A value that changes whenever a file is written or replaced.
struct FileVersion: Equatable {
    private let identity: FileIdentity
    private let times: [Int]
    let size: Int64

    /// `nil` if it cannot be examined.
    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// `nil` if there is none.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        identity = FileIdentity(status)
        #if os(macOS)
            let times = [status.st_mtimespec, status.st_ctimespec]
        #else
            let times = [status.st_mtim, status.st_ctim]
        #endif
        self.times = times.flatMap { [Int($0.tv_sec), Int($0.tv_nsec)] }
        size = Int64(status.st_size)
    }
}
