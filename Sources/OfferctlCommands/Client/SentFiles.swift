/// The files of a request, by the names they were given on the command line.
struct SentFiles: Sendable, Hashable {
    /// The catalog.
    var catalog: String?
    /// The history.
    var history: String?
}
