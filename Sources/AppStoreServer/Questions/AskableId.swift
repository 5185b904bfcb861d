/// Which ids of transactions, app transactions and orders Apple can be asked by.
public enum AskableId {
    /// In bytes; Apple's have some twenty.
    static let longest = 256

    /// Whether an id stays one part of a question's path: not empty, no step up or down, and no longer than any of
    /// Apple's.
    public static func allows(_ id: String) -> Bool {
        (1...longest).contains(id.utf8.count) && id != "." && id != ".."
    }
}
