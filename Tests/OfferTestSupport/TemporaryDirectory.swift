public import Foundation

/// A directory of its own that goes away with the last reference to it.
public final class TemporaryDirectory: Sendable {
    /// Where it is.
    public let url: URL

    /// Makes a new, empty directory.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "offerd-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// Makes a new directory with everything that another has.
    public convenience init(copying other: URL) throws {
        try self.init()
        for name in try FileManager.default.contentsOfDirectory(atPath: other.path) {
            try FileManager.default.copyItem(at: other.appending(path: name), to: url.appending(path: name))
        }
    }

    /// Takes a directory over, which then goes away in the same way.
    public init(adopting url: URL) {
        self.url = url
    }

    deinit {
        TestStore.remove(of: self)
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of an entry.
    public func path(_ name: String) -> String {
        url.appending(path: name).path
    }

    /// Writes a file, with permissions if given, and returns its path.
    @discardableResult
    public func write(_ bytes: some Sequence<UInt8>, to name: String, permissions: Int? = nil) throws -> String {
        let target = url.appending(path: name)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: target)
        if let permissions {
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: target.path)
        }
        return target.path
    }

    /// Writes a text file and returns its path.
    @discardableResult
    public func write(_ text: String, to name: String, permissions: Int? = nil) throws -> String {
        try write(text.utf8, to: name, permissions: permissions)
    }
}
