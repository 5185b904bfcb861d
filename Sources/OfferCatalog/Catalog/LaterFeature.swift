/// What the catalog format can say and this version does not evaluate; it is refused, never accepted and ignored.
enum LaterFeature: Sendable, Hashable, CaseIterable {
    case limitWindow
    case limitAcross
    case totalLimit
    case budgetLimit
    case coolDown
    case excludes
    case rollout
    case availableFor

    /// Delete a line here together with the change that evaluates the feature.
    static let refused: Set<LaterFeature> = [
        .limitWindow,
        .limitAcross,
        .totalLimit,
        .budgetLimit,
        .coolDown,
        .excludes,
        .rollout,
        .availableFor,
    ]

    func refuse(_ what: String, at field: Field) {
        field.refuse(.notSupportedYet, "\(what) is not supported yet", hint: hint)
    }

    private var hint: String {
        switch self {
        case .limitWindow, .limitAcross, .totalLimit, .budgetLimit:
            "for now the one limit is `{ count: 1, per: customer }`, with any count"
        case .coolDown, .excludes, .availableFor: "leave it out for now; a per-customer limit still holds"
        case .rollout: "leave it out for now; every eligible customer gets the offer"
        }
    }
}
