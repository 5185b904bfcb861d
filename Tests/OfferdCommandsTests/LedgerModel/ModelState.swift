/// The model's state between two rounds: the ledger, the answers kept under keys, and every signature that was
/// recorded.
struct ModelState: Sendable {
    struct Kept: Sendable {
        /// The request that was answered, if it is known.
        var number: Int?
        var answer: LedgerRows.IdempotencyRecord

        /// docs/design.md#issuing: replays for 24 hours.
        func isLive(at now: Int64) -> Bool { now < answer.answeredAt + 24 * ModelLedger.hour }
    }

    var ledger: ModelLedger
    var kept: [String: Kept] = [:]
    /// By issued offer, signing and format.
    var signatures: [String: [Int: [String: String]]] = [:]
    /// The numbers of the requests that were refused, by the recorded decision.
    var refusals: [String: Int] = [:]
    /// The newest sequence that was checked.
    var sequence: Int64
}
