public import OfferModel

extension History {
    /// A history that an operator states for a "what if": no signature stands behind it, and it says so in evidence.
    ///
    /// - Parameters:
    ///   - isComplete: whether nothing is missing.
    ///   - now: the instant that is decided at; a complete history is complete then.
    public init(_ decoded: DecodedHistory, isComplete: Bool, at now: Instant) {
        self.init(
            transactions: decoded.transactions.map(Recorded.init(stated:)),
            renewalInfos: decoded.renewalInfos.map(Recorded.init(stated:)),
            appTransactions: decoded.appTransaction.map { [Recorded(stated: $0)] } ?? [])
        if isComplete {
            coverage = Coverage(level: .complete, asOf: now, provenance: .operator)
        } else if !transactions.isEmpty || !appTransactions.isEmpty {
            coverage = Coverage(level: .partial)
        }
    }
}

extension Recorded {
    /// It stands in no store, so its place in the order of arrival is before everything that does.
    fileprivate convenience init(stated decoded: DecodedPayload<Payload>) {
        self.init(payload: decoded.payload, payloadBytes: decoded.bytes, provenance: .operator, sequence: 0)
    }
}
