import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferHTTP
import OfferModel

/// One issued offer, one refusal, and why StoreKit refuses a signature.
extension ConsoleSite {
    static let signatureFields = [
        "format", "signature", "productId", "offerIdentifier", "keyId", "nonce", "timestamp", "appAccountToken",
    ]

    /// What was copied from a mail, a log or a JSON document, without what is no part of a signature.
    private static func pasted(_ text: String) -> String? {
        var value = text[...]
        for name in ["\"signature\"", "\"jws\""] {
            if let member = text.firstRange(of: name) {
                value = text[member.upperBound...].prefix { !",}".contains($0) }
            }
        }
        let last = value.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
        let kept = last.filter { !$0.isWhitespace && !"\"'`“”„‘’,\\".contains($0) }
        return kept.isEmpty ? nil : kept
    }

    /// `GET /console/issued-offers/{id}`, with its decision made again.
    @Sendable func issuedOffer(_ request: Request, _ visit: Visit) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        let id = try visit.issuedOfferId()
        let offer = try await useCases.customers.issuedOffer(id, caller: visit.caller)
        var content: [String: Any] = ["offer": PageMembers.of(offer)]
        content["customer"] = try await customer(ofRecord: id, visit)
        let countsUntil = offer.expiresAt.adding(milliseconds: Offer.countingTail)
        if offer.state == .voided, clock() < countsUntil { content["countsUntil"] = PageMembers.moment(countsUntil) }
        if offer.state == .open, visit.may(.void) { content["voidPath"] = PageLink.issuedOffer(id) + "/void" }
        if visit.may(APICall(.post, "/v1/issued-offers/{id}/replay")) {
            do {
                let replay = try await useCases.replay.replay(id, catalogRevision: nil, caller: visit.caller)
                content["replay"] = PageMembers.of(replay)
                content["findings"] = PageMembers.findings(replay.recorded.findings)
            } catch {
                guard error is RequestError, let problem = Problem(error) else { throw error }
                content["replayProblem"] = PageMembers.of(problem.document)
            }
        }
        return try pages.page("issuedOffer", "Issued offer", content, visit)
    }

    /// `POST /console/issued-offers/{id}/void`.
    @Sendable func void(_ form: inout QueryParameters, _ visit: Visit) async throws -> Response {
        let id = try visit.issuedOfferId()
        let reason = form.field("reason") ?? ""
        let release = form.flag("release") ?? false
        if reason.isEmpty { form.refuse("reason", "is not a reason", hint: "say why, without naming a person") }
        try form.finish()
        _ = try await useCases.voiding.void(id, reason: reason, release: release, caller: visit.caller)
        return .redirect(to: PageLink.issuedOffer(id))
    }

    /// `GET /console/decisions/{id}`.
    @Sendable func recordedDecision(_ request: Request, _ visit: Visit) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        let id = try visit.context.pathId({ LowercaseUUID($0) }, or: RequestError.unknownDecision)
        let recorded = try await useCases.replay.refusal(id, caller: visit.caller)
        var content = PageMembers.of(recorded)
        content["decisions"] = [PageMembers.ofDecision(recorded.decision)]
        content["customer"] = try await customer(ofRecord: id, visit)
        return try pages.page("recordedDecision", "Decision", content, visit)
    }

    private func customer(ofRecord id: LowercaseUUID, _ visit: Visit) async throws -> [String: Any]? {
        guard visit.may(.customers) else { return nil }
        return try await useCases.customers.customer(ofRecord: id, caller: visit.caller).flatMap(Self.link)
    }

    /// `POST /console/signatures`.
    @Sendable func checkSignature(_ form: inout QueryParameters, _ visit: Visit) async throws -> Response {
        let longest = ConsoleSite.formBytes
        var typed: [String: Any] = [:]
        for name in Self.signatureFields where name != "signature" { typed[name] = form.field(name, maximum: longest) }
        typed["signature"] = form.document("signature").flatMap(Self.pasted)
        if let format = typed["format"] as? String, ArtefactFormat(rawValue: format) == nil {
            form.refuse("format", "is not a format", hint: "choose one of the list")
        }
        try form.finish()
        guard let passed = PassedSignature(typed: typed.compactMapValues { $0 as? String }) else {
            form.refuse("timestamp", "is not a number", hint: "give the number that the app passed")
            try form.finish()
            return try pages.signatures(visit)
        }
        let checked = try passed.checked(for: visit.caller.role)
        let diagnosis = try await useCases.signatureChecks.check(checked, caller: visit.caller)
        var members = PageMembers.of(diagnosis).merging([diagnosis.verdict.rawValue: true]) { $1 }
        members["missing"] = diagnosis.missing?.map { ConsoleTerms.labels[$0] ?? $0 }
        return try pages.signatures(
            visit, ["typed": typed, "is-\(passed.format.rawValue)": true, "diagnosis": members])
    }
}

extension PageWriter {
    func signatures(_ visit: Visit, _ content: [String: Any] = [:]) throws -> Response {
        var content = content
        if let format = visit.refused?.typed["format"] { content["is-\(format)"] = true }
        return try page("signatures", "Check a signature", content, visit)
    }
}

extension PassedSignature {
    /// `nil` if the timestamp is no number.
    fileprivate init?(typed: [String: String]) {
        self.init(format: typed["format"].flatMap { ArtefactFormat(rawValue: $0) } ?? .v1)
        if let text = typed["timestamp"] {
            guard let number = Int64(text) else { return nil }
            timestamp = number
        }
        productId = typed["productId"].map { ProductId($0) }
        offerIdentifier = typed["offerIdentifier"].map { OfferIdentifier($0) }
        keyId = typed["keyId"].map { KeyId($0) }
        (nonce, appAccountToken) = (typed["nonce"], typed["appAccountToken"])
        if format == .v1 { signature = typed["signature"] } else { jws = typed["signature"] }
    }
}

extension Visit {
    fileprivate func issuedOfferId() throws -> LowercaseUUID {
        try context.pathId({ LowercaseUUID($0) }, or: RequestError.unknownIssuedOffer)
    }
}
