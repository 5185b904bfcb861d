import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// Writes the answer to an order as bytes: before the commit, so that exactly these can be kept (docs/design.md#issuing).
struct IssueAnswerWriter: Sendable {
    let offerId: OfferId
    let role: Role
    let instance: String
    let requestId: LowercaseUUID

    /// The answer as it goes out.
    func write(_ answer: IssueAnswer) throws -> WrittenAnswer {
        switch answer {
        case .issued(let offer, let isNew):
            let status: HTTPResponse.Status = isNew ? .created : .ok
            return WrittenAnswer(
                status: status.code, contentType: MediaType.json.rawValue, location: "/v1/issued-offers/\(offer.id)",
                body: try WireJSON.encode(IssuedOfferBody(offer)))
        case .refused(let refusal):
            let problem = Problem(refusal, offerId: offerId, role: role)
            let body = problem.body(instance: instance, requestId: requestId)
            return WrittenAnswer(
                status: body.status, contentType: ProblemBody.mediaType, body: try WireJSON.encode(body))
        }
    }
}

extension Response {
    /// An answer that is written already.
    init(_ answer: WrittenAnswer) {
        var headers: HTTPFields = [.contentType: answer.contentType]
        headers[.location] = answer.location
        if answer.isReplayed { headers[.idempotentReplayed] = "true" }
        self.init(
            status: HTTPResponse.Status(code: answer.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}
