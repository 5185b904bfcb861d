/// The state of a subscription group at an instant, in Apple's current words (docs/design.md#terms).
public enum SubscriptionStateName: String, Sendable, Hashable, CaseIterable, Codable {
    /// No subscription of the group is known, and the history is complete.
    case neverSubscribed
    /// Access through an introductory offer.
    case introductoryOffer
    /// Paid access, promotional and win-back offers included.
    case subscribed
    /// A renewal failed and access goes on.
    case inGracePeriod
    /// A renewal failed and access has ended while Apple keeps trying.
    case inBillingRetryPeriod
    /// Access has ended.
    case expired
    /// Apple took access back.
    case revoked
}
