import OfferEligibility
import OfferModel
import OfferStore

// A record has some fifty findings, and Foundation's encoder took an eighth of a request. Members stand in the order of
// their names, so that equal records have equal bytes.

extension DecisionRecord: JSONWritable {
    func write(to json: inout JSONWriter) throws {
        try json.object { json in
            try json.member("attributes", attributes)
            try json.member("catalogRevision", catalogRevision)
            try json.member("counters", counters)
            try json.member("coverage", coverage)
            try json.member("coverageAsOf", coverageAsOf)
            try json.member("coverageProvenance", coverageProvenance)
            try json.member("customers", customers)
            try json.member("decision", decision)
            try json.member("firstStoredAt", firstStoredAt)
            try json.member("formats", formats)
            try json.member("historySequence", historySequence)
            try json.member("identifiers", identifiers)
            try json.member("keptEvidence", keptEvidence)
            try json.member("needsNewSigning", needsNewSigning)
            try json.member("now", now)
            try json.member("openedAt", openedAt)
            try json.member("order", order)
            try json.member("pause", pause)
            try json.member("productId", productId)
            try json.member("request", request)
            try json.member("rolloutKey", rolloutKey)
            try json.member("signals", signals)
            try json.member("signatures", signatures)
            try json.member("slots", slots)
        }
    }
}

extension DecisionRecord.Order: JSONWritable {
    func write(to json: inout JSONWriter) throws {
        try json.object { json in
            try json.member("appAccountToken", appAccountToken)
            try json.member("appTransactionId", appTransactionId)
            try json.member("customerId", customerId)
            try json.member("formats", formats)
            try json.member("fresh", fresh)
            try json.member("originalTransactionId", originalTransactionId)
        }
    }
}

extension DecisionRecord.SeenSlot: JSONWritable {
    func write(to json: inout JSONWriter) throws {
        try json.object { json in
            try json.member("countsUntil", countsUntil)
            try json.member("expiresAt", expiresAt)
            try json.member("id", id)
            try json.member("isReleased", isReleased)
            try json.member("settledAt", settledAt)
            try json.member("signings", signings)
            try json.member("voidedAt", voidedAt)
        }
    }
}

extension DecisionRecord.Signature: JSONWritable {
    func write(to json: inout JSONWriter) throws {
        try json.object { json in
            try json.member("appAccountToken", appAccountToken)
            try json.member("format", format)
            try json.member("keyId", keyId)
            try json.member("nonce", nonce)
            try json.member("timestamp", timestamp)
            try json.member("transactionId", transactionId)
        }
    }
}
