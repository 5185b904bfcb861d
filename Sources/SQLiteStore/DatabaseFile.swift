import FoundationEssentials
import OfferStore

/// The file that holds the database.
enum DatabaseFile {
    /// Creates an empty file that only its owner can read; an existing one is left as it is.
    ///
    /// SQLite would create it readable for everybody. The file is made under another name and then linked, so that it
    /// never exists with wider permissions, and two who migrate at once never replace each other's file.
    static func createIfMissing(_ path: String) throws {
        let files = FileManager.default
        guard !files.fileExists(atPath: path) else { return }
        let draft = "\(path).new-\(UUID().uuidString.prefix(8))"
        guard files.createFile(atPath: draft, contents: Data(), attributes: [.posixPermissions: 0o600]) else {
            throw StoreError.unavailable("the database file `\(path)` cannot be created")
        }
        defer { try? files.removeItem(atPath: draft) }
        do {
            try files.linkItem(atPath: draft, toPath: path)
        } catch {
            guard files.fileExists(atPath: path) else {
                throw StoreError.unavailable("the database file `\(path)` cannot be created")
            }
        }
    }
}
