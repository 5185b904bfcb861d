import OfferAPI
import OfferModel
import OfferSigning

extension Inquiry {
    /// - Throws: ``RequestFault`` with every value that is not accepted.
    func check(by role: Role) throws(RequestFault) {
        var checks = RequestChecks()
        if customer != nil || history == nil {
            checks.customer(customer ?? CustomerIdentifiers(), provenBy: delivery, role: role)
        }
        checks.delivery(delivery, role: role)
        checks.offers(offerIds)
        checks.text(productId?.rawValue, at: .root.appending("productId"))
        checks.signals(signals)
        checks.device(request)
        checks.instant(asOf, at: .root.appending("asOf"))
        checks.history(history)
        checks.catalog(catalog, catalogRevision)
        try checks.finish()
    }
}

extension PassedSignature {
    /// - Throws: ``RequestFault`` with every value that is not accepted.
    func check() throws(RequestFault) {
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
