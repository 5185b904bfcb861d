/// Why a rule answered as it did: a closed list, the same in code, `openapi.yaml` and docs.
///
/// The rules' authors extend it; a code once released keeps its meaning.
public enum ReasonCode: String, Sendable, Hashable, CaseIterable, Codable {
    /// The rule holds.
    case holds
    /// The rule has nothing to say about this kind of offer.
    case notApplicable
    /// Absence cannot be proven: the history is not complete.
    case historyIncomplete
    /// A renewal is due and what is known is older.
    case historyStale
}

/// What would have to happen for a finding to flip: a closed list.
public enum TurningEvent: String, Sendable, Hashable, CaseIterable, Codable {
    /// The complete history is fetched or stated.
    case historyCompleted
    /// Newer renewal info arrives.
    case renewalInfoReceived
}
