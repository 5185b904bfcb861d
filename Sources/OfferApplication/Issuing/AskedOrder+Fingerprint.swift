import OfferEligibility
import OfferModel
import OfferSigning
import OfferStore

extension AskedOrder {
    /// The SHA-256 of all that a refusal depends on and says, but for its instant: two orders with the same fingerprint are
    /// refused for the same reasons until the same turning point, and are the same record.
    ///
    /// Left out is what moves by itself without changing the answer: the instant, the evidence that is counted from it, and
    /// counters that everyone shares. Where they do change the answer, a finding differs.
    func fingerprint(_ outlook: Outlook, _ digest: any Digest) throws -> [UInt8] {
        var json = JSONWriter(capacity: 4_096)
        try json.object { json in
            try json.member("app", scope.bundleId)
            try json.member("environment", scope.environment.rawValue)
            try json.member("author", author.actor)
            try json.member("order", DecisionRecord.Order(order))
            try json.member("offer", question.offer.id)
            try json.member("product", question.productId)
            try json.member("signals", order.signals)
            try json.member("request", order.request)
            try json.member("generation", snapshot.generation)
            try json.member("catalogRevision", snapshot.catalogRevision)
            try json.member("customers", snapshot.subject.customers.map(\.rawValue))
            try json.member("versions", snapshot.version.customers.map { snapshot.version.changes[$0] ?? 0 })
            try json.member("attributes", snapshot.facts.attributes)
            try json.member("openedAt", snapshot.facts.openedAt[question.offer.id])
            try json.member("rolloutKey", snapshot.facts.rolloutKey)
            try json.member("needsNewSigning", question.needsNewSigning)
            try json.member("transactionId", plan.transactionId?.rawValue)
            try json.member("outcome", decision.outcome)
            json.name("findings")
            try Self.write(decision.findings, to: &json)
            try json.member("changesAt", outlook.changesAt)
            try json.member("notBefore", outlook.notBefore)
            try json.member("events", outlook.events)
            try json.member("isFinal", outlook.isFinal)
        }
        return digest.sha256(json.bytes)
    }

    private static func write(_ findings: [Finding], to json: inout JSONWriter) throws {
        try json.array(findings) { json, finding in
            try json.object { json in
                try json.member("rule", finding.rule)
                try json.member("path", finding.path)
                try json.member("verdict", finding.verdict)
                try json.member("reason", finding.reason)
                try json.member("turningPoint", finding.turningPoint)
                if let children = finding.children {
                    json.name("children")
                    try write(children, to: &json)
                }
            }
        }
    }
}
