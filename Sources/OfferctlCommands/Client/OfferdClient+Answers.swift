import Foundation
import NIOHTTP1
import OfferAPI

extension OfferdClient {
    /// A request that was refused: the problem, and the document for `--json`.
    struct Refusal: Error, Sendable {
        var status: Int
        var problem: ProblemAnswer
        var retryAfter: String?
        var body: [UInt8]
    }

    /// An answer that was read, and its text as it came.
    struct Reply<Body: Sendable>: Sendable {
        var body: Body
        var json: [UInt8]
    }

    /// Sends a request whose answer is a JSON document.
    ///
    /// - Throws: `Refusal` for a problem document, `CommandFailure` if no offerd answers.
    func call<Body: Decodable & Sendable>(
        _ method: HTTPMethod, _ path: String, query: [(String, String)] = [], headers: [(String, String)] = [],
        body: [UInt8]? = nil, as type: Body.Type
    ) async throws -> Reply<Body> {
        let answer = try await send(
            method, path, query: query, headers: headers + [("Accept", "application/json")], body: body)
        try check(answer)
        guard answer.mediaType == "application/json",
            let body = try? JSONDecoder().decode(type, from: Data(answer.body))
        else { throw stranger(answer) }
        return Reply(body: body, json: answer.body)
    }

    /// Sends a request whose answer is a catalog document of that media type.
    ///
    /// - Throws: `Refusal` for a problem document, `CommandFailure` if no offerd answers.
    func catalogInForce(as mediaType: String = CatalogFile.yaml) async throws -> CatalogInForce {
        let answer = try await send(.GET, "/v1/catalog", headers: [("Accept", mediaType)])
        try check(answer)
        guard let tag = answer.etag else { throw stranger(answer) }
        return CatalogInForce(tag: tag, document: answer.body)
    }

    /// Lets successes pass; everything else is a refusal in our form, or no answer of ours.
    private func check(_ answer: Answer) throws {
        guard !(200..<300).contains(answer.status) else { return }
        guard answer.mediaType == ProblemBody.mediaType,
            let problem = try? JSONDecoder().decode(ProblemAnswer.self, from: Data(answer.body)), problem.isOurs
        else { throw stranger(answer) }
        throw Refusal(
            status: answer.status, problem: problem, retryAfter: answer.retryAfter, body: answer.body)
    }

    /// Something answered, but not as an offerd that this version understands would.
    private func stranger(_ answer: Answer) -> CommandFailure {
        let kind = answer.mediaType.isEmpty ? "" : " and `\(answer.mediaType)`"
        var hints = ["check that `--server` or OFFERCTL_SERVER leads to an offerd of this version or later"]
        if let location = answer.location, (300..<400).contains(answer.status) {
            hints = ["it points to `\(location)`: give the address that answers itself"]
        } else if answer.status >= 500 {
            hints = ["something in front of the server may be answering in its place; try again or ask the operator"]
        }
        return CommandFailure(
            .unavailable, "the answer of `\(address)` is not one that offerd gives: status \(answer.status)\(kind)",
            hints: hints)
    }
}
