import OfferModel

extension SharedLimit {
    /// The finding on this limit alone.
    func finding(_ rule: some Rule, _ context: RuleContext) -> Finding {
        guard let counters = context.counters else {
            return rule.undetermined(
                .usesNotCounted,
                "how much of \(words(allowed)) is taken is not known: \(ReasonCode.usesNotCounted.explanation)")
        }
        guard let use = use(context.question, counters: counters, open: context.use.openSlot?.id, at: context.now)
        else {
            let reason: ReasonCode = context.question.isProductKnown ? .currencyMismatch : .groupUnknown
            var finding = rule.undetermined(
                reason, "what the offer costs of \(words(allowed)) is not known: \(reason.explanation)")
            finding.turningPoint = .event(.catalogChanged)
            return finding
        }
        return finding(rule, use, counters, context)
    }

    private func finding(
        _ rule: some Rule, _ use: SharedUse, _ counters: OfferCounters, _ context: RuleContext
    ) -> Finding {
        var evidence = [Evidence(field: rule.id.rawValue, observed: value(use.taken), required: value(allowed))]
        if case .money = unit { evidence.append(Evidence(field: "offer.cost", observed: value(use.asked))) }
        if use.overrun > 0 { evidence.append(Evidence(field: "overrun", observed: value(use.overrun))) }
        if counters.asOf != context.now {
            evidence.append(Evidence(field: "counted", observed: .instant(counters.asOf)))
        }
        let ending = use.shortfall > 0 ? counters.ending(of: use.shortfall, unit) : nil
        let hasFreed = ending?.at.map { $0 <= context.now } == true
        guard use.shortfall > 0, !hasFreed else { return rule.satisfied(sentence(use), evidence: evidence) }
        if let frees = ending?.at { evidence.append(Evidence(field: "nextPlaceFrees", observed: .instant(frees))) }
        return rule.violated(
            .limitReached, "\(sentence(use)); \(words(ending))", evidence: evidence,
            turningPoint: (ending?.at).map(TurningPoint.at))
    }

    /// Used and allowed, in words.
    private func sentence(_ use: SharedUse) -> String {
        let overrun = use.overrun > 0 ? ", \(words(use.overrun)) more than allowed" : ""
        switch unit {
        case .places: return "\(use.taken) of \(allowed) uses by everyone are taken\(overrun)"
        case .money(let currency):
            let taken = Money(milliunits: use.taken, currency: currency).amount
            return
                "\(taken) of \(words(allowed)) are spent by everyone\(overrun), and the offer costs \(words(use.asked))"
        }
    }

    private func words(_ ending: OfferCounters.Ending?) -> String {
        guard let ending else { return "when enough frees was not looked up" }
        return ending.at.map { "\(whatFrees) at \($0)" } ?? "nothing will free by itself"
    }

    private var whatFrees: String {
        switch unit {
        case .places: "the next place frees"
        case .money: "enough frees"
        }
    }

    private func words(_ amount: Int64) -> String {
        switch unit {
        case .places: "\(amount)"
        case .money(let currency): "\(Money(milliunits: amount, currency: currency))"
        }
    }

    private func value(_ amount: Int64) -> EvidenceValue {
        switch unit {
        case .places: .number(Int(amount))
        case .money(let currency): .value(.money(Money(milliunits: amount, currency: currency)))
        }
    }
}

extension Question {
    fileprivate var isProductKnown: Bool { products.contains { $0.productId == productId } }
}
