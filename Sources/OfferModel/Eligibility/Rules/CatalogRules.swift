struct CatalogStatusRule: Rule {
    let id = RuleId.catalogStatus
    var requirement: String { "the offer must be active" }

    func finding(_ context: RuleContext) -> Finding {
        let (id, status) = (context.offer.id, context.offer.status)
        let evidence = context.question.compiledOffer.status
        switch status {
        case .draft:
            return violated(
                .offerDraft, "the offer `\(id)` is a draft", evidence: evidence,
                turningPoint: .event(.catalogChanged))
        case .archived:
            return violated(
                .offerArchived, "the offer `\(id)` is archived", evidence: evidence,
                turningPoint: .event(.catalogChanged))
        case .active:
            return satisfied("the offer `\(id)` is active", evidence: evidence)
        }
    }
}

/// The instant is at or after the offer's start and before its end.
struct CatalogScheduleRule: Rule {
    let id = RuleId.catalogSchedule
    var requirement: String { "the offer must have started and not ended" }

    func finding(_ context: RuleContext) -> Finding {
        let (starts, ends) = (context.offer.starts, context.offer.ends)
        if let starts, context.now < starts {
            return violated(
                .notStarted, "the offer starts at \(starts)", evidence: [seen(context.now, "offer.starts", starts)],
                turningPoint: .at(starts))
        }
        if let ends, context.now >= ends {
            return violated(
                .ended, "the offer ended at \(ends)", evidence: [seen(context.now, "offer.ends", ends)])
        }
        guard let ends else { return satisfied("the offer has begun and has no end") }
        return satisfied(
            "the offer runs until \(ends)", evidence: [seen(context.now, "offer.ends", ends)], until: ends)
    }

    private func seen(_ now: Instant, _ field: String, _ required: Instant) -> Evidence {
        Evidence(field: field, observed: .instant(now), required: .instant(required))
    }
}

/// The offer is meant for the environment of the question, and can be signed there.
struct CatalogEnvironmentRule: Rule {
    let id = RuleId.catalogEnvironment
    var requirement: String { "the offer must be meant for this environment" }

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
                "the offer is delivered as \(names) alone, which is not signed for this request",
                evidence: evidence, turningPoint: .event(.catalogChanged))
        }
        return satisfied("the offer is meant for \(environment.rawValue)", evidence: evidence)
    }
}

/// The product is one of the offer's, and the catalog knows its group.
struct CatalogProductRule: Rule {
    let id = RuleId.catalogProduct
    var requirement: String { "the product must be one of the offer's" }

    func finding(_ context: RuleContext) -> Finding {
        let product = context.question.productId
        let evidence = [
            Evidence(
                field: "offer.products", observed: .text(product.rawValue),
                required: context.question.compiledOffer.products)
        ]
        guard context.offer.products.contains(product) else {
            return violated(
                .productExcluded, "the offer does not discount the product `\(product)`", evidence: evidence,
                turningPoint: .event(.catalogChanged))
        }
        guard context.question.subscriptionGroupIdentifier != nil else {
            return undetermined(
                .groupUnknown, "the catalog does not say which group the product `\(product)` is in",
                evidence: evidence)
        }
        return satisfied("the offer discounts the product `\(product)`", evidence: evidence)
    }
}

struct CatalogPausedRule: Rule {
    let id = RuleId.catalogPaused
    var requirement: String { "the offer must not be paused" }

    func finding(_ context: RuleContext) -> Finding {
        let evidence = [
            Evidence(
                field: "offer.pause", observed: .text(context.question.pause.rawValue),
                required: .text(Pause.none.rawValue))
        ]
        let end = context.question.pausedUntil
        if let end, end <= context.now { return satisfied("the offer is not paused", evidence: evidence) }
        let until = end.map { " until \($0)" } ?? ""
        let turningPoint = end.map(TurningPoint.at) ?? .event(.offerResumed)
        switch context.question.pause {
        case .none:
            return satisfied("the offer is not paused", evidence: evidence)
        case .offer:
            return violated(
                .offerPaused, "the offer is paused\(until)", evidence: evidence, turningPoint: turningPoint)
        case .everyOffer:
            return violated(
                .everyOfferPaused, "every offer is paused\(until)", evidence: evidence, turningPoint: turningPoint)
        case .limitedOffers:
            guard context.offer.isLimited else { return satisfied("the offer has no limit", evidence: evidence) }
            guard context.question.needsNewSigning else {
                return satisfied("the signatures were issued before the database was restored", evidence: evidence)
            }
            return violated(
                .restoredRecently,
                "the database was restored, and offers issued since its copy are unknown: "
                    + (end.map { "offers with a limit are issued again from \($0)" } ?? "offers with a limit are paused"),
                evidence: evidence, turningPoint: turningPoint)
        }
    }
}
