/// What the catalog format can say and this version does not evaluate; it is refused, never accepted and ignored.
enum LaterFeature: Sendable, Hashable, CaseIterable {
    case totalLimit
    case budgetLimit

    /// Delete a line here together with the change that evaluates the feature.
    static let refused: Set<LaterFeature> = [
        .totalLimit,
        .budgetLimit,
    ]

    func refuse(_ what: String, at field: Field) {
        field.refuse(.notSupportedYet, "\(what) is not supported yet", hint: hint)
    }

    private var hint: String {
        switch self {
        case .totalLimit, .budgetLimit: "for now every limit is `per: customer`"
        }
    }
}
