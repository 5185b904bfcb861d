import JSON
package import OfferModel

extension SignatureJudge {
    /// Checks a JWS: at most two verifications for each key.
    func checkJWS(_ passed: PassedSignature) throws(MalformedArtefact) -> Findings {
        var findings = Findings(format: passed.format)
        guard let text = passed.jws else {
            findings.missing = ["jws"]
            return findings
        }
        let jws = try PassedJWS(text)
        if jws.isEncodedTwice { findings.add(.doubleBase64, "the whole JWS is encoded in Base64 once more") }
        if jws.hasStandardBase64 { findings.add(.base64url, "the JWS is encoded in standard Base64") }
        checkSigner(jws, &findings)
        checkClaims(jws.claims, passed, &findings)
        return findings
    }

    private func checkSigner(_ jws: PassedJWS, _ findings: inout Findings) {
        let named = jws.header.kid.map { "`\($0)`" } ?? "no key"
        guard jws.header.alg == "ES256" else {
            findings.isVerified = false
            let algorithm = jws.header.alg.map { "`alg` is `\($0)`" } ?? "the header has no `alg`"
            return findings.add(.otherKey, "\(algorithm), and an In-App Purchase key signs with `ES256`")
        }
        let isDER = jws.signature.count != 64 && jws.signature.first == 0x30
        let signer = keys.first { known in
            jws.signingInputs.contains { input in
                isDER
                    ? known.key.isValid(derSignature: jws.signature, of: input)
                    : known.key.isValid(rawSignature: jws.signature, of: input)
            }
        }
        findings.isVerified = signer != nil
        if isDER {
            findings.add(
                .rawSignature, "the signature is ASN.1 DER, and a JWS needs the 64 bytes R‖S",
                signer == nil ? .likely : .certain)
        }
        guard let signer else {
            let isKnown = keys.contains { $0.key.keyId.rawValue == jws.header.kid }
            // A key that is not known here may be one that the App Store knows.
            if !isKnown, jws.header.kid != nil { findings.isVerified = nil }
            return findings.add(
                .otherKey,
                isKnown
                    ? "key \(named) did not sign this JWS: another key did, or the JWS was changed"
                    : "the header names \(named), and none of the known keys signed the JWS", .likely)
        }
        if signer.key.keyId.rawValue != jws.header.kid {
            findings.add(.otherKey, "key `\(signer.key.keyId)` signed, and the header names \(named)")
        } else if !signer.isAccepted {
            findings.add(.otherKey, "key `\(signer.key.keyId)` is not for this app and environment")
        }
    }

    private func checkClaims(_ claims: PassedJWS.Claims, _ passed: PassedSignature, _ findings: inout Findings) {
        let format = passed.format
        if claims.hasExpiration { findings.add(.hasExpiration, "the JWS has `exp`, and the App Store refuses it") }
        if let audience = claims.aud, audience != format.audience {
            findings.add(.otherAudience, "`aud` is `\(audience)`, and not `\(format.audience)`")
        } else {
            findings.missing = claims.missing(for: format)
            if !findings.missing.isEmpty { findings.isVerified = false }
        }
        if let issuerId, let issuer = claims.iss, issuer.lowercased() != issuerId.lowercased() {
            findings.add(.otherIssuer, "`iss` is `\(issuer)`, and the issuer ID is `\(issuerId)`")
        }
        if let bundle = claims.bid, BundleId(bundle) != bundleId {
            findings.add(.otherBundle, "`bid` is `\(bundle)`, and the app is `\(bundleId)`")
        }
        let product = claims.productId.map { ProductId($0) }
        let offer = format == .v2 ? claims.offerIdentifier.map { OfferIdentifier($0) } : nil
        if let product, let bought = passed.productId, product != bought {
            findings.add(.otherProduct, "signed for product `\(product)`, and the app buys `\(bought)`")
        }
        if let offer, let used = passed.offerIdentifier, offer != used {
            findings.add(.otherOffer, "signed for offer `\(offer)`, and the app passes `\(used)`")
        }
        if let iat = claims.iat { checkAge(iat, isInSeconds: true, &findings) }
        checkCatalog(product, offer, &findings)
        if format == .introductoryEligibility, claims.allowIntroductoryOffer == false {
            findings.add(.notEligible, "`allowIntroductoryOffer` is `false`: the JWS withholds the offer")
        }
    }

    /// The values that a passed signature names, by itself or in its JWS.
    package struct Contents: Sendable {
        package var nonce: LowercaseUUID?
        package var productId: ProductId?
        package var offerIdentifier: OfferIdentifier?
        package var transactionId: String?

        package init(of passed: PassedSignature) {
            let claims = passed.format == .v1 ? nil : (try? passed.jws.map(PassedJWS.init))?.claims
            nonce = (claims?.nonce ?? passed.nonce).flatMap { LowercaseUUID($0) }
            productId = passed.productId ?? claims?.productId.map { ProductId($0) }
            offerIdentifier = passed.offerIdentifier ?? claims?.offerIdentifier.map { OfferIdentifier($0) }
            transactionId = claims?.transactionId
        }
    }
}

/// A compact JWS in whatever encoding it was passed.
private struct PassedJWS {
    /// The claims that have their type; others count as absent.
    struct Claims {
        let (aud, bid, iss, nonce): (String?, String?, String?, String?)
        let (productId, offerIdentifier, transactionId): (String?, String?, String?)
        let allowIntroductoryOffer: Bool?
        let iat: Int64?
        let hasExpiration: Bool

        init(_ claims: JSONObject) {
            func text(_ name: String) -> String? { try? claims.text(name) }
            (aud, bid, iss, nonce) = (text("aud"), text("bid"), text("iss"), text("nonce"))
            (productId, offerIdentifier) = (text("productId"), text("offerIdentifier"))
            transactionId = text("transactionId")
            allowIntroductoryOffer = try? claims.flag("allowIntroductoryOffer")
            iat = try? claims.roundedDown("iat")
            hasExpiration = claims.contains("exp")
        }

        func missing(for format: ArtefactFormat) -> [String] {
            let own: [(String, Bool)] =
                format == .introductoryEligibility
                ? [("allowIntroductoryOffer", allowIntroductoryOffer != nil), ("transactionId", transactionId != nil)]
                : [("offerIdentifier", offerIdentifier != nil)]
            let common: [(String, Bool)] = [
                ("aud", aud != nil), ("bid", bid != nil), ("iat", iat != nil), ("iss", iss != nil),
                ("nonce", nonce != nil), ("productId", productId != nil),
            ]
            return (common + own).filter { !$0.1 }.map(\.0).sorted()
        }
    }

    let header: CompactJWS.Header
    let claims: Claims
    let signature: [UInt8]
    /// The candidates for the signed bytes: the first two parts as they are and, in another alphabet, as they should
    /// be.
    let signingInputs: [[UInt8]]
    let isEncodedTwice: Bool
    let hasStandardBase64: Bool

    private static let form = JSONForm.Limits(
        depth: 32, nameLength: .max, numberLength: .max, allowsRepeatedMembers: true)

    init(_ text: String) throws(MalformedArtefact) {
        func malformed(_ detail: String) -> MalformedArtefact {
            MalformedArtefact(
                member: .jws, detail: detail,
                hint: "copy the JWS as the app passed it: three parts of base64url with dots")
        }
        guard text.utf8.count <= SignatureJudge.longestText else { throw malformed("the JWS is too long") }
        let inner = text.utf8.contains(UInt8(ascii: ".")) ? nil : LenientBase64(text)?.bytes
        isEncodedTwice = inner != nil
        let compact = inner.map { String(decoding: $0, as: UTF8.self) } ?? text
        let parts = compact.split(separator: ".", omittingEmptySubsequences: false).map { LenientBase64(String($0)) }
        guard parts.count == 3 else {
            throw malformed("a compact JWS has 3 parts, and this has \(isEncodedTwice ? 1 : parts.count)")
        }
        guard let first = parts[0], let second = parts[1], let third = parts[2] else {
            let names = ["header", "payload", "signature"]
            throw malformed("the \(zip(names, parts).first { $0.1 == nil }?.0 ?? "JWS") is not base64url")
        }
        guard let members = try? JSONObject(first.bytes, Self.form), let header = try? CompactJWS.Header(members),
            let claims = try? JSONObject(second.bytes, Self.form)
        else { throw malformed("the header or the payload is not a JSON object") }
        self.header = header
        self.claims = Claims(claims)
        signature = third.bytes
        hasStandardBase64 = parts.contains { $0?.isStandard ?? false }
        let passed = compact.split(separator: ".").prefix(2).joined(separator: ".")
        let right = "\(Base64URL.encode(first.bytes)).\(Base64URL.encode(second.bytes))"
        signingInputs = (passed == right ? [right] : [passed, right]).map { Array($0.utf8) }
    }
}
