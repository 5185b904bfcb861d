public import OfferSigning

/// The outcome of an input.
public enum Outcome: Sendable, Hashable {
    /// This text was accepted.
    case accepted(jws: String)
    /// It was refused.
    case refused(SignedDataRefusal.Code)

    /// `accepted`, or the refusal's code: what the names of kept inputs begin with.
    public var name: String {
        switch self {
        case .accepted: "accepted"
        case .refused(let code): code.rawValue
        }
    }
}
