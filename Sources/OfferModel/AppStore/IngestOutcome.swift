/// What became of one payload.
public enum IngestOutcome: String, Sendable, Hashable, CaseIterable, Codable {
    /// Never seen before.
    case added
    /// A newer view of something known.
    case updated
    /// Known already.
    case unchanged
    /// Not believed.
    case refused
}
