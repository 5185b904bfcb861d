import OfferAPI

/// A problem document as a client reads it.
///
/// Not `ProblemBody`, whose codes are a closed list: an older `offerctl` must still show what a newer server refused.
struct ProblemAnswer: Sendable, Hashable, Decodable {
    var type: String
    var title: String
    var code: String
    var detail: String
    var hint: String?
    var requestId: String?
    var errors: [ProblemErrorBody]?

    /// Whether it is one of offerd's, not of something in front of it.
    var isOurs: Bool { type.hasPrefix("urn:offerd:problem:") }
}
