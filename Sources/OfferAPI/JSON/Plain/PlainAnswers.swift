import OfferModel

extension IssuedOfferBody: PlainlyWritten {
    var isPlain: Bool { true }

    func write(to json: inout JSONText) {
        json.object { json in
            json.member("bundleId", bundleId.rawValue)
            json.member("catalogRevision", Int64(catalogRevision))
            json.member("decisionId", decisionId.description)
            json.member("delivery", delivery.rawValue)
            json.member("environment", environment.rawValue)
            json.member("expiresAt", expiresAt.milliseconds)
            json.member("issuedAt", issuedAt.milliseconds)
            json.member("issuedOfferId", issuedOfferId.description)
            json.member("keyId", keyId?.rawValue)
            json.member("offerId", offerId.rawValue)
            json.member("offerIdentifier", offerIdentifier?.rawValue)
            json.member("offerType", offerType.rawValue)
            json.member("productId", productId.rawValue)
            json.name("signatures")
            signatures.write(to: &json)
            json.member("state", state.rawValue)
        }
    }
}

extension SignaturesBody {
    fileprivate func write(to json: inout JSONText) {
        json.object { json in
            if let introductoryEligibility {
                json.name("introductoryEligibility")
                json.object { json in
                    json.member("allowIntroductoryOffer", introductoryEligibility.allowIntroductoryOffer)
                    json.member("jws", introductoryEligibility.jws)
                }
            }
            if let v1 {
                json.name("v1")
                json.object { json in
                    json.member("appAccountToken", v1.appAccountToken)
                    json.member("keyId", v1.keyId.rawValue)
                    json.member("nonce", v1.nonce.description)
                    json.member("signature", v1.signature)
                    json.member("timestamp", v1.timestamp.milliseconds)
                }
            }
            if let v2 {
                json.name("v2")
                json.object { json in json.member("jws", v2.jws) }
            }
        }
    }
}

extension TransactionsBody: PlainlyWritten {
    var isPlain: Bool { true }

    func write(to json: inout JSONText) {
        json.object { json in
            json.name("customers")
            json.array(customers) { json, customer in
                json.object { json in
                    json.member("appAccountTokens", customer.appAccountTokens.map(\.description))
                    json.member("appTransactionId", customer.appTransactionId?.rawValue)
                    json.member("customerIds", customer.customerIds.map(\.rawValue))
                    json.member("originalTransactionIds", customer.originalTransactionIds.map(\.rawValue))
                }
            }
            json.name("results")
            json.array(results) { json, result in
                json.object { json in
                    json.member("code", result.code)
                    json.member("detail", result.detail)
                    json.member("outcome", result.outcome.rawValue)
                    json.member("pointer", result.pointer)
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

    func write(to json: inout JSONText) {
        json.object { json in
            json.member("best", best?.rawValue)
            json.member("bestReason", bestReason)
            json.name("decisions")
            json.array(decisions) { json, decision in
                json.object { json in
                    json.member("delivery", decision.delivery.rawValue)
                    json.name("findings")
                    json.array(decision.findings) { json, finding in
                        json.object { json in
                            json.member("reason", finding.reason)
                            json.member("rule", finding.rule)
                            finding.turningPoint?.write(to: &json)
                            json.member("verdict", finding.verdict)
                        }
                    }
                    json.member("offerId", decision.offerId.rawValue)
                    json.member("outcome", decision.outcome)
                    json.member("priority", Int64(decision.priority))
                    decision.turningPoint?.write(to: &json)
                }
            }
        }
    }
}

extension TurningPointBody {
    fileprivate func write(to json: inout JSONText) {
        json.name("turningPoint")
        json.object { json in
            json.member("at", at?.milliseconds)
            json.member("event", event)
        }
    }
}
