import OfferModel

/// The offer is meant for the environment of the question, and can be signed there.
struct CatalogEnvironmentRule: Rule {
    let id = RuleId.catalogEnvironment

    func finding(_ context: RuleContext) -> Finding {
        let environment = context.question.scope.environment
        let evidence = context.question.compiledOffer.evidence(of: environment)
        guard context.offer.environments.contains(environment) else {
            return violated(
                .environmentExcluded, "the offer is not meant for \(environment.rawValue)", evidence: evidence,
                turningPoint: .event(.catalogChanged))
        }
        let formats = context.offer.formats
        guard context.offer.delivery != .signature || formats.contains(where: context.question.formats.contains) else {
            let names = formats.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            return violated(
                .formatExcluded,
                "the offer is delivered as \(names) alone, which is not signed in \(environment.rawValue)",
                evidence: evidence, turningPoint: .event(.catalogChanged))
        }
        return satisfied("the offer is meant for \(environment.rawValue)", evidence: evidence)
    }
}
