import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `/v1/signature-checks`: why StoreKit refuses a signature.
struct SignatureChecksController: Sendable {
    let checks: SignatureChecks
    let bodyLimit: Int

    @Sendable func check(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        let body = try await request.decode(PassedSignature.self, upTo: bodyLimit)
        try body.check()
        return try .json(try await checks.check(body, caller: context.caller))
    }
}
