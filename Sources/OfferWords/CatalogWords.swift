package import OfferAPI
import OfferModel

/// Revisions and plans of a catalog in words.
package enum CatalogWords {
    package static func unchanged(_ revision: Int) -> String { "no changes: identical to revision \(revision)" }

    package static func onlyText(_ revision: Int) -> String {
        "no offer changes: only the text differs from revision \(revision), such as comments or the order"
    }

    package static func changes(_ count: Int, to revision: Int) -> String {
        "\(count.counted("change")) to revision \(revision)"
    }

    /// The key, with its label, and the person who used it.
    package static func author(_ revision: AppliedRevision) -> String {
        author(revision.actor, revision.actorLabel, revision.person)
    }

    package static func author(_ key: String, _ label: String?, _ person: String?) -> String {
        key + (label.map { " (\($0))" } ?? "") + (person.map { ", \($0)" } ?? "")
    }

    /// `revision 3, applied 2026-12-01 00:00 UTC by key 7 (shop): spring offers`.
    package static func headline(_ revision: AppliedRevision) -> String {
        let message = revision.message.map { ": \($0)" } ?? ""
        let time = TimeText.absolute(revision.createdAt)
        return "revision \(revision.revision), applied \(time) by key \(author(revision))\(message)"
    }
}
