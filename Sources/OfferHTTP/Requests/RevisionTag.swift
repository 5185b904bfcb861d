import HTTPTypes
import Hummingbird
import OfferAPI

/// A catalog revision as an entity tag: `"3"`.
enum RevisionTag {
    /// The tag of a revision.
    static func text(_ revision: Int) -> String { "\"\(revision)\"" }

    /// The revision a change was made from, by `If-Match`.
    ///
    /// - Throws: ``Problem`` `if-match-required`; ``RequestFault`` if the header is not one strong tag of ours.
    static func expected(by request: Request) throws -> Int {
        let values = request.headers[values: .ifMatch]
        guard let value = values.first else {
            throw Problem(
                .ifMatchRequired, "the request does not say which revision it changes",
                hint: "send the `ETag` of `GET /v1/catalog` as `If-Match`; the empty catalog is `\"0\"`")
        }
        let digits = value.dropFirst().dropLast()
        guard values.count == 1, value.count >= 3, value.first == "\"", value.last == "\"", digits.utf8.count <= 18,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let revision = Int(digits)
        else {
            throw RequestFault(errors: [
                ProblemErrorBody(
                    path: "header.If-Match", code: RequestErrorCode.invalidHeader.rawValue,
                    detail: "`\(value.prefix(100))` is not the tag of one revision",
                    hint: "write the revision in quotes, such as `\"3\"`")
            ])
        }
        return revision
    }
}
