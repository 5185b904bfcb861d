/// Something that a reader did and must never do.
public struct BrokenPromise: Error, CustomStringConvertible {
    /// The observed behaviour.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
