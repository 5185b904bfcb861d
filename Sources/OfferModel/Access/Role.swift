/// What an API key may do; no role includes another, except that `admin` may call all (docs/design.md#http).
public enum Role: String, Sendable, Hashable, CaseIterable, Codable {
    /// The app's backend.
    case client
    /// People who help customers.
    case support
    /// People who configure offers.
    case marketing
    /// The operator.
    case admin
}
