public import OfferModel

/// A state by its name, or why it cannot be told.
public enum Standing: Sendable, Hashable {
    /// The state is known.
    case determined(SubscriptionStateName)
    /// What is known does not decide it.
    case undetermined(ReasonCode)

    /// The state's name, if it is known.
    public var name: SubscriptionStateName? {
        guard case .determined(let name) = self else { return nil }
        return name
    }

    /// Why the state is not known.
    public var undeterminedReason: ReasonCode? {
        guard case .undetermined(let reason) = self else { return nil }
        return reason
    }

    /// Whether the customer has access; `nil` if that cannot be told.
    public var hasAccess: Bool? {
        guard case .determined(let name) = self else { return nil }
        switch name {
        case .introductoryOffer, .subscribed, .inGracePeriod: return true
        case .neverSubscribed, .inBillingRetryPeriod, .expired, .revoked: return false
        }
    }
}
