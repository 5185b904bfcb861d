/// A place in the list of a catalog's offers, written `12-50`: after the first 50 offers of revision 12.
public struct OfferPlace: Sendable, Hashable, CustomStringConvertible {
    let revision: Int64
    let passed: Int

    init(revision: Int64, passed: Int) {
        self.revision = revision
        self.passed = passed
    }

    /// Reads a place as ``description`` writes it; `nil` for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let revision = Int64(parts[0]), let passed = Int(parts[1]), revision > 0, passed > 0,
            "\(revision)-\(passed)" == text
        else { return nil }
        self.init(revision: revision, passed: passed)
    }

    /// The revision and how many offers have passed.
    public var description: String { "\(revision)-\(passed)" }
}
