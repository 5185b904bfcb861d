import OfferModel

/// A place in the list of a catalog's offers, written `12-50`: after the first 50 offers of revision 12; or `12~comeback`:
/// in that revision's list after the removed offer `comeback`.
public struct OfferPlace: Sendable, Hashable, CustomStringConvertible {
    /// What has passed.
    enum Passed: Sendable, Hashable {
        /// So many offers of the catalog.
        case count(Int)
        /// All of them, and the removed ones up to this one. Not how many: others may come in between.
        case removed(OfferId)
    }

    let revision: Int64
    let passed: Passed

    init(revision: Int64, passed: Passed) {
        self.revision = revision
        self.passed = passed
    }

    /// Reads a place as ``description`` writes it; `nil` for anything else.
    public init?(_ text: String) {
        guard let mark = text.firstIndex(where: { $0 == "-" || $0 == "~" }), let revision = Int64(text[..<mark]),
            revision > 0
        else { return nil }
        let rest = text[text.index(after: mark)...]
        if text[mark] == "~" {
            guard !rest.isEmpty else { return nil }
            self.init(revision: revision, passed: .removed(OfferId(String(rest))))
        } else {
            guard let count = Int(rest), count > 0 else { return nil }
            self.init(revision: revision, passed: .count(count))
        }
        guard description == text else { return nil }
    }

    /// The revision and what has passed.
    public var description: String {
        switch passed {
        case .count(let count): "\(revision)-\(count)"
        case .removed(let id): "\(revision)~\(id)"
        }
    }
}
