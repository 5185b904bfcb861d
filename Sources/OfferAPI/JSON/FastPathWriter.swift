import OfferModel

/// An answer that is asked for often and writes itself, without an encoder.
protocol PlainlyWritten {
    /// Whether it holds nothing but what ``write(to:)`` writes.
    var isPlain: Bool { get }
    /// Writes it, with exactly the bytes that an encoder would write; members stand in the order of their names.
    func write(to json: inout JSONWriter) throws
}

extension IssuedOfferBody: PlainlyWritten {
    var isPlain: Bool { true }

    func write(to json: inout JSONWriter) throws {
        try json.object { json in
            try json.member("bundleId", bundleId.rawValue)
            try json.member("catalogRevision", Int64(catalogRevision))
            try json.member("decisionId", decisionId.description)
            try json.member("delivery", delivery.rawValue)
            try json.member("environment", environment.rawValue)
            try json.member("expiresAt", expiresAt.milliseconds)
            try json.member("issuedAt", issuedAt.milliseconds)
            try json.member("issuedOfferId", issuedOfferId.description)
            try json.member("keyId", keyId?.rawValue)
            try json.member("offerId", offerId.rawValue)
            try json.member("offerIdentifier", offerIdentifier?.rawValue)
            try json.member("offerType", offerType.rawValue)
            try json.member("productId", productId.rawValue)
            json.name("signatures")
            try signatures.write(to: &json)
            try json.member("state", state.rawValue)
        }
    }
}

extension SignaturesBody {
    fileprivate func write(to json: inout JSONWriter) throws {
        try json.object { json in
            if let introductoryEligibility {
                json.name("introductoryEligibility")
                try json.object { json in
                    try json.member("allowIntroductoryOffer", introductoryEligibility.allowIntroductoryOffer)
                    try json.member("jws", introductoryEligibility.jws)
                }
            }
            if let v1 {
                json.name("v1")
                try json.object { json in
                    try json.member("appAccountToken", v1.appAccountToken)
                    try json.member("keyId", v1.keyId.rawValue)
                    try json.member("nonce", v1.nonce.description)
                    try json.member("signature", v1.signature)
                    try json.member("timestamp", v1.timestamp.milliseconds)
                }
            }
            if let v2 {
                json.name("v2")
                try json.object { json in try json.member("jws", v2.jws) }
            }
        }
    }
}

extension TransactionsBody: PlainlyWritten {
    var isPlain: Bool { true }

    func write(to json: inout JSONWriter) throws {
        try json.object { json in
            json.name("customers")
            try json.array(customers) { json, customer in
                try json.object { json in
                    try json.member("appAccountTokens", customer.appAccountTokens.map(\.description))
                    try json.member("appTransactionId", customer.appTransactionId?.rawValue)
                    try json.member("customerIds", customer.customerIds.map(\.rawValue))
                    try json.member("originalTransactionIds", customer.originalTransactionIds.map(\.rawValue))
                }
            }
            json.name("results")
            try json.array(results) { json, result in
                try json.object { json in
                    try json.member("code", result.code)
                    try json.member("detail", result.detail)
                    try json.member("outcome", result.outcome.rawValue)
                    try json.member("pointer", result.pointer)
                }
            }
        }
    }
}

extension DecisionsBody: PlainlyWritten {
    /// What `client` keys see; the rest is for people, who wait longer.
    var isPlain: Bool {
        decisions.allSatisfy { decision in
            decision.explanation == nil
                && decision.findings.allSatisfy {
                    $0.path == nil && $0.message == nil && $0.evidence == nil && $0.children == nil
                }
        }
    }

    func write(to json: inout JSONWriter) throws {
        try json.object { json in
            try json.member("best", best?.rawValue)
            try json.member("bestReason", bestReason)
            json.name("decisions")
            try json.array(decisions) { json, decision in
                try json.object { json in
                    try json.member("delivery", decision.delivery.rawValue)
                    json.name("findings")
                    try json.array(decision.findings) { json, finding in
                        try json.object { json in
                            try json.member("reason", finding.reason)
                            try json.member("rule", finding.rule)
                            try finding.turningPoint?.write(to: &json)
                            try json.member("verdict", finding.verdict)
                        }
                    }
                    try json.member("offerId", decision.offerId.rawValue)
                    try json.member("outcome", decision.outcome)
                    try json.member("priority", Int64(decision.priority))
                    try decision.turningPoint?.write(to: &json)
                }
            }
        }
    }
}

extension TurningPointBody {
    fileprivate func write(to json: inout JSONWriter) throws {
        json.name("turningPoint")
        try json.object { json in
            try json.member("at", at?.milliseconds)
            try json.member("event", event)
        }
    }
}
