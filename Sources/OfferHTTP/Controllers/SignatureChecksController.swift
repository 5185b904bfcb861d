import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning

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

extension PassedSignature {
    /// - Throws: ``RequestFault`` with every value that is not accepted.
    fileprivate func check() throws(RequestFault) {
        var checks = RequestChecks()
        func pointer(_ key: CodingKeys) -> JSONPointer { .root.appending(key.rawValue) }
        checks.text(productId?.rawValue, at: pointer(.productId))
        checks.text(offerIdentifier?.rawValue, at: pointer(.offerIdentifier))
        checks.text(keyId?.rawValue, at: pointer(.keyId))
        // The app passes an empty one as it passes none.
        if appAccountToken != "" { checks.text(appAccountToken, at: pointer(.appAccountToken)) }
        checks.text(signature, at: pointer(.signature), maximum: SignatureJudge.longestText)
        checks.text(jws, at: pointer(.jws), maximum: SignatureJudge.longestText)
        if let nonce, LowercaseUUID(nonce) == nil {
            checks.add(
                pointer(.nonce), .invalidValue, "`\(String(nonce.unicodeScalars.prefix(100)))` is not a UUID",
                hint: "StoreKit takes the nonce as a UUID")
        }
        if let timestamp, !InputBounds.integers.contains(timestamp) || timestamp < 0 {
            checks.add(
                pointer(.timestamp), .invalidValue, "`\(timestamp)` is not a time since 1970",
                hint: "give the number that the app passed")
        }
        for key in membersOfOtherFormats {
            checks.add(
                pointer(key), .invalidValue, "the format `\(format.rawValue)` has no `\(key.rawValue)`",
                hint: format == .v1 ? "give `signature`" : "give `jws`: it has all other values in it")
        }
        try checks.finish()
    }
}
