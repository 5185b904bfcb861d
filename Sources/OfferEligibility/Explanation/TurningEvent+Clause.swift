extension TurningEvent {
    /// What has to happen, to follow "when" or "until".
    public var clause: String {
        switch self {
        case .historyCompleted: "the complete history is sent"
        case .renewalInfoReceived: "newer renewal info arrives"
        case .transactionReceived: "a transaction signed by Apple arrives"
        case .subscriptionBought: "the customer buys a subscription"
        case .subscriptionEnded: "the customer's subscription ends"
        case .subscriptionChanged: "the customer's subscription changes"
        case .offerEnded: "the offer that is pending or running ends"
        case .signalReceived: "the backend sends the signal, or another value of it"
        case .attributesSet: "the backend sets the attribute, or another value of it"
        case .requestChanged: "the request states it about the device, or another value of it"
        case .offerRedeemed: "the customer redeems an offer"
        case .catalogChanged: "another catalog is applied"
        case .offerResumed: "the pause is lifted"
        }
    }
}
