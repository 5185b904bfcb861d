import OfferModel

/// What a case can expect of a subscription state.
enum StateMember: String, CaseIterable {
    case state
    case undetermined
    case hasAccess
    case willAutoRenew
    case accessEnds
    case daysLeft
    case lastMomentToCancel
    case transactionId
    case isOwned
    case pendingProductId
    case renewalPrice
    case expirationIntent
    case revocationType

    /// The member as text; `nil` where the state has none.
    func text(of state: SubscriptionState) -> String? {
        let value: (any CustomStringConvertible)? =
            switch self {
            case .state: state.name?.rawValue
            case .undetermined: state.standing.undeterminedReason?.rawValue
            case .hasAccess: state.hasAccess
            case .willAutoRenew: state.willAutoRenew
            case .accessEnds: state.accessEnds
            case .daysLeft: state.daysLeft
            case .lastMomentToCancel: state.lastMomentToCancel
            case .transactionId: state.transaction?.transactionId
            case .isOwned: state.isOwned
            case .pendingProductId: state.pendingProductId
            case .renewalPrice: state.renewalPrice
            case .expirationIntent: state.expirationIntent?.rawValue
            case .revocationType: state.revocationType?.rawValue
            }
        return value?.description
    }
}
