public import OfferModel

/// What the App Store would know after a scenario, before anything is signed.
public struct PlayedScenario: Sendable, Hashable {
    /// Every purchase and renewal, in the order they happened.
    public var transactions: [Transaction]
    /// Each subscription as it stands at the end, in the order they were first bought.
    public var renewalInfos: [RenewalInfo]
    /// The app transaction, if the customer is known to have the app.
    public var appTransaction: AppTransaction?
    /// What the App Store would have told meanwhile, by the date it was signed.
    public var notifications: [PlayedNotification]

    /// Plays a scenario.
    ///
    /// - Parameters:
    ///   - scenario: what happened.
    ///   - now: the moment that relative times count from, and the signing date unless the scenario has its own.
    /// - Throws: ``ScenarioError``, naming the step that cannot have happened.
    public init(playing scenario: Scenario, now: Instant) throws(ScenarioError) {
        var player = try ScenarioPlayer(scenario, now: now)
        for (index, step) in scenario.steps.enumerated() {
            try player.play(step, at: "steps[\(index)].\(step.verb.rawValue)")
        }
        player.settle(before: player.signedAt)
        transactions = player.transactions
        renewalInfos = player.renewalInfos
        appTransaction = player.appTransaction
        notifications = player.notifications.enumerated()
            .sorted {
                ($0.element.notification.signedDate, $0.offset) < ($1.element.notification.signedDate, $1.offset)
            }
            .map(\.element)
    }
}
