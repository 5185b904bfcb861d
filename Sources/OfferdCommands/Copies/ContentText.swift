import OfferStore
import SQLiteStore

/// What a copy of the database holds, in lines for people.
enum ContentText {
    static func lines(_ content: DatabaseContent) -> [String] {
        let census = content.census
        let counts = [
            ("customers", census.customers), ("history", census.history),
            ("catalog revisions", census.catalogRevisions),
            ("issued offers", census.issuedOffers), ("signatures", census.signatures), ("decisions", census.decisions),
        ].map { "\($0.1) \($0.0)" }.joined(separator: ", ")
        return [
            "schema \(content.schema)\(content.isCurrent ? "" : ", older than this version: `offerd migrate` brings it up")",
            "structure and indexes are whole",
            "newest moment \(census.lastInstant.map { "\($0)" } ?? "none")",
            counts,
        ]
    }
}
