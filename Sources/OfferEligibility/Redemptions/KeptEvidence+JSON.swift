public import OfferModel

// Members stand in the order of their names, as Foundation's encoder sorts them.

extension KeptEvidence: JSONWritable {
    /// Writes the evidence.
    public func write(to json: inout JSONWriter) throws {
        try json.object { json in
            try json.member("at", at)
            try json.member("expires", expires)
            try json.member("isRenewal", isRenewal)
            try json.member("isUpgraded", isUpgraded)
            try json.member("kind", kind.rawValue)
            try json.member("offerIdentifier", offerIdentifier)
            try json.member("offerPeriod", offerPeriod)
            try json.member("offerType", offerType?.rawValue)
            try json.member("originalTransactionId", originalTransactionId)
            try json.member("productId", productId)
            try json.member("provenance", provenance)
            try json.member("revoked", revoked)
            try json.member("slotId", slotId)
            try json.member("subscriptionGroupIdentifier", subscriptionGroupIdentifier)
        }
    }
}
