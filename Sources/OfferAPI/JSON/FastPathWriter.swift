import JSON
import OfferModel

/// An answer that is asked for often and writes itself, without an encoder.
protocol FastPathWritable {
    /// Whether it holds nothing but what ``write(to:)`` writes.
    var hasFastPath: Bool { get }
    /// Writes it, with exactly the bytes that an encoder would write: members in the order of their names.
    func write(to json: inout JSONWriter)
}

extension IssuedOfferView: FastPathWritable {
    var hasFastPath: Bool { true }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("bundleId", bundleId)
            json.member("catalogRevision", catalogRevision)
            json.member("decisionId", decisionId)
            json.member("delivery", delivery.rawValue)
            json.member("environment", environment.rawValue)
            json.member("expiresAt", expiresAt)
            ignored?.write(to: &json)
            json.member("issuedAt", issuedAt)
            json.member("issuedOfferId", issuedOfferId)
            json.member("keyId", keyId)
            json.member("offerId", offerId)
            json.member("offerIdentifier", offerIdentifier)
            json.member("offerType", offerType.rawValue)
            json.member("productId", productId)
            json.member("released", released)
            json.name("signatures")
            signatures.write(to: &json)
            json.member("state", state.rawValue)
            json.member("voidReason", voidReason)
            json.member("voidedAt", voidedAt)
        }
    }
}

extension SignaturesBody {
    fileprivate func write(to json: inout JSONWriter) {
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
                    json.member("keyId", v1.keyId)
                    json.member("nonce", v1.nonce)
                    json.member("signature", v1.signature)
                    json.member("timestamp", v1.timestamp)
                }
            }
            if let v2 {
                json.name("v2")
                json.object { json in json.member("jws", v2.jws) }
            }
        }
    }
}

extension IngestReport: FastPathWritable {
    var hasFastPath: Bool { customers.allSatisfy { $0.identifiers == nil } }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.name("customers")
            json.array(customers) { json, customer in
                json.object { json in
                    json.member("appAccountTokens", customer.appAccountTokens.map(\.description))
                    json.member("appTransactionId", customer.appTransactionId)
                    json.member("customerIds", customer.customerIds.map(\.rawValue))
                    json.member("originalTransactionIds", customer.originalTransactionIds.map(\.rawValue))
                    if let status = customer.status {
                        json.name("status")
                        status.write(to: &json)
                    }
                }
            }
            ignored?.write(to: &json)
            json.name("results")
            json.array(results) { json, result in
                json.object { json in
                    json.member("code", result.code)
                    json.member("detail", result.detail)
                    json.member("hint", result.hint)
                    json.member("outcome", result.outcome.rawValue)
                    json.member("pointer", result.pointer)
                }
            }
        }
    }
}

extension DecisionsBody: FastPathWritable {
    /// Answers to `client` keys. Support and marketing read the others by eye, so the general encoder is fast enough.
    var hasFastPath: Bool {
        dataAsOf == nil
            && decisions.allSatisfy { decision in
                decision.explanation?.sentence == nil && decision.explanation?.change == nil
                    && decision.findings.allSatisfy {
                        $0.path == nil && $0.message == nil && $0.evidence == nil && $0.children == nil
                    }
            }
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("best", best)
            json.member("bestReason", bestReason)
            json.name("decisions")
            json.array(decisions) { json, decision in
                json.object { json in
                    json.member("billingPlan", decision.billingPlan)
                    json.member("delivery", decision.delivery.rawValue)
                    if let explanation = decision.explanation {
                        json.name("explanation")
                        json.object { json in json.member("customerAnswer", explanation.customerAnswer) }
                    }
                    json.name("findings")
                    json.array(decision.findings) { json, finding in
                        json.object { json in
                            json.member("reason", finding.reason)
                            json.member("rule", finding.rule)
                            finding.turningPoint?.write("turningPoint", to: &json)
                            json.member("verdict", finding.verdict)
                        }
                    }
                    json.member("offerId", decision.offerId)
                    json.member("outcome", decision.outcome)
                    json.member("priority", decision.priority)
                    decision.turningPoint?.write("turningPoint", to: &json)
                }
            }
            ignored?.write(to: &json)
            json.member("known", known)
        }
    }
}

extension [IgnoredData] {
    fileprivate func write(to json: inout JSONWriter) {
        json.name("ignored")
        json.array(self) { json, ignored in
            json.object { json in
                json.member("member", ignored.member)
                json.member("reason", ignored.reason)
            }
        }
    }
}

extension TurningPointBody {
    fileprivate func write(_ name: StaticString, to json: inout JSONWriter) {
        json.name(name)
        json.object { json in
            json.member("at", at)
            json.member("event", event)
        }
    }
}

extension StatusBody: FastPathWritable {
    var hasFastPath: Bool { true }

    func write(to json: inout JSONWriter) {
        json.object { json in
            ignored?.write(to: &json)
            json.name("items")
            json.array(items) { json, status in status.write(to: &json) }
        }
    }
}

extension CustomerStatus {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("appleAccounts", appleAccounts)
            json.member("asOf", asOf)
            json.name("coverage")
            json.object { json in
                json.member("asOf", coverage.asOf)
                json.member("level", coverage.level)
                json.member("provenance", coverage.provenance)
            }
            json.name("customer")
            json.object { json in
                json.member("appAccountToken", customer.appAccountToken)
                json.member("appTransactionId", customer.appTransactionId)
                json.member("customerId", customer.customerId)
                json.member("originalTransactionId", customer.originalTransactionId)
            }
            if let error {
                json.name("error")
                json.object { json in
                    json.member("code", error.code.rawValue)
                    json.member("detail", error.detail)
                }
            }
            json.name("groups")
            json.array(groups) { json, group in group.write(to: &json) }
            json.member("hasAccess", hasAccess)
            json.member("known", known)
            json.name("products")
            json.array(products) { json, product in
                json.object { json in
                    json.member("owned", product.owned)
                    json.member("productId", product.productId)
                    json.member("purchasedAt", product.purchasedAt)
                    json.member("revokedAt", product.revokedAt)
                    json.member("type", product.type)
                }
            }
        }
    }
}

extension GroupStatus {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("cancelBy", cancelBy)
            json.member("daysLeft", daysLeft)
            json.member("expiresAt", expiresAt)
            json.member("gracePeriodExpiresAt", gracePeriodExpiresAt)
            json.member("hasAccess", hasAccess)
            json.member("isFreeTrial", isFreeTrial)
            json.member("isTrial", isTrial)
            nextChange?.write("nextChange", to: &json)
            json.member("originalTransactionId", originalTransactionId)
            json.member("pendingProductId", pendingProductId)
            json.member("productId", productId)
            json.member("purchasedAt", purchasedAt)
            json.member("renewalInfoSignedAt", renewalInfoSignedAt)
            if let renewalPrice {
                json.name("renewalPrice")
                json.object { json in
                    json.member("amount", renewalPrice.amount)
                    json.member("currency", renewalPrice.currency)
                }
            }
            json.member("startedAt", startedAt)
            json.member("state", state)
            json.member("subscriptionGroupIdentifier", subscriptionGroupIdentifier)
            json.member("trialEndsAt", trialEndsAt)
            json.member("trialStartedAt", trialStartedAt)
            json.member("willAutoRenew", willAutoRenew)
        }
    }
}
