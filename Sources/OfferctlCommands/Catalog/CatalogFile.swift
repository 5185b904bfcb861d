/// A catalog document as it is sent.
struct CatalogFile: Sendable, Hashable {
    static let yaml = "application/yaml"
    static let json = "application/json"

    /// The document as it is.
    var bytes: [UInt8]
    /// Its media type.
    var mediaType: String

    /// A document in the notation that its file's name tells: JSON for `.json`, else YAML.
    ///
    /// - Throws: `CommandFailure` with status 2 that says why it cannot be read.
    init(reading path: String) throws(CommandFailure) {
        bytes = try FileDocument.read(path)
        mediaType = Self.mediaType(path)
    }

    /// A document by its parts.
    init(bytes: [UInt8], mediaType: String) {
        self.bytes = bytes
        self.mediaType = mediaType
    }

    /// The media type that a file's name tells.
    static func mediaType(_ path: String) -> String {
        path.lowercased().hasSuffix(".json") ? json : yaml
    }
}
