extension RoundCheck {
    /// The claims of the answers about the ledger.
    mutating func claims() -> [RoundReplay.Claim] {
        var claims: [RoundReplay.Claim] = []
        for (number, asked) in requests {
            switch asked.request.work {
            case .issue(let ask, _):
                guard !replayed.contains(number) else { continue }
                if let decision = decision(of: number) {
                    if decision.kind == "refusal" {
                        claims.append(claim(of: ask, refusedIn: decision, asked))
                    } else {
                        checkReleased(asked, decision)
                    }
                } else if let answer = asked.answers.first, let decision = refusal(repeatedIn: answer, number) {
                    claims.append(claim(of: ask, repeating: decision, answer, asked))
                } else if let answer = asked.answers.first {
                    claims.append(claim(of: ask, storedIn: answer, asked))
                }
            case .void(let issuedOffer, _):
                guard !asked.answers.isEmpty, !events.contains(where: { $0.number == number }) else { continue }
                claims.append(
                    claim(asked) { ledger, now in
                        ledger.issuedOffers.contains {
                            $0.id == issuedOffer && !ledger.own($0.customer).isOpen($0, at: now)
                        }
                            ? nil : "nothing was voided, though it was open"
                    })
            case .dryRun(let customer):
                for answer in asked.answers {
                    let outcomes = answer.outcomes
                    claims.append(
                        claim(asked) { ledger, now in
                            ledger.difference(of: outcomes, toDryRunOf: customer, at: now)
                        })
                }
            case .redeem: continue
            }
        }
        return claims
    }

    /// Something that must be so of a ledger between the sending of a request and its answer, at one of the round's
    /// instants.
    private func claim(
        _ asked: Asked, _ contradiction: @escaping (ModelLedger, Int64) -> String?
    ) -> RoundReplay.Claim {
        RoundReplay.Claim(
            first: floor(of: asked), end: events.ceiling(of: asked.ended)
        ) { [instants] ledgers in
            Self.contradiction(of: ledgers, at: instants, contradiction).map { "\(asked.request): \($0)" }
        }
    }

    /// The last place that the answer must have known of: what was answered before it was sent, and what it brought.
    private func floor(of asked: Asked) -> Int64 {
        let brought = asked.request.redemption.flatMap { rows.transactions[$0.transactionId]?.sequence }
        return max(events.floor(of: asked.started, from: state.sequence), brought ?? state.sequence)
    }

    /// `nil` if there is none for one of the ledgers at one of the instants; else that of the last.
    private static func contradiction(
        of ledgers: [ModelLedger], at instants: [Int64], _ contradiction: (ModelLedger, Int64) -> String?
    ) -> String? {
        var last = "nothing could be seen"
        for ledger in ledgers {
            for instant in instants {
                guard let why = contradiction(ledger, instant) else { return nil }
                last = why
            }
        }
        return last
    }

    /// A refusal rests on what was there when it was decided, or committed at the latest.
    func claim(
        of ask: ModelLedger.Ask, refusedIn decision: LedgerRows.Decision, _ asked: Asked
    ) -> RoundReplay.Claim {
        let floor = floor(of: asked)
        let answer = asked.answers.first
        let rules = answer?.rules
        let isThis = answer.map { $0.status == 403 && $0.json["decisionId"] as? String == decision.id } ?? true
        return RoundReplay.Claim(first: max(decision.seen, floor), end: decision.sequence) { ledgers in
            guard isThis else { return "\(asked.request): refused in \(decision), and answered otherwise" }
            return Self.contradiction(of: ledgers, at: [decision.decidedAt]) { ledger, now in
                let violated = ledger.answer(ask, at: now).violated
                let isRight = rules.map { $0 == violated } ?? !violated.isEmpty
                return isRight ? nil : "\(asked.request): refused by \(rules ?? []), the model says \(violated)"
            }
        }
    }

    /// The decision of an earlier round that refused the same request: sent again after its key expired, it is answered
    /// with the recorded decision if nothing has changed.
    private func refusal(repeatedIn answer: RunningServer.Answer, _ number: Int) -> String? {
        guard answer.status == 403, let id = answer.json["decisionId"] as? String, state.refusals[id] == number else {
            return nil
        }
        return id
    }

    /// A repeated refusal is what the rules say now, too.
    private func claim(
        of ask: ModelLedger.Ask, repeating decision: String, _ answer: RunningServer.Answer, _ asked: Asked
    ) -> RoundReplay.Claim {
        let rules = answer.rules
        return claim(asked) { ledger, now in
            let violated = ledger.answer(ask, at: now).violated
            return rules == violated && !violated.isEmpty
                ? nil : "refused again by \(rules) in \(decision), the model says \(violated)"
        }
    }

    /// Nothing was recorded, so it was stored before.
    func claim(
        of ask: ModelLedger.Ask, storedIn answer: RunningServer.Answer, _ asked: Asked
    ) -> RoundReplay.Claim {
        let issuedOffer = answer.json["issuedOfferId"] as? String ?? ""
        let (artefacts, recorded) = (answer.artefacts, state.signatures[issuedOffer] ?? [:])
        return claim(asked) { ledger, now in
            guard ledger.own(ask.customer).issuedOffers.contains(where: { $0.id == issuedOffer }) else {
                return "\(answer.status) with \(issuedOffer), and nothing was recorded"
            }
            let expected = ledger.answer(ask, at: now)
            if answer.status == 200, case .stored(issuedOffer, let signing) = expected, artefacts == recorded[signing] {
                return nil
            }
            return "\(answer.status) with \(issuedOffer), and nothing was recorded; the model says \(expected)"
        }
    }

    /// Released signatures equal the recorded ones (invariant 1).
    mutating func checkReleased(_ asked: Asked, _ decision: LedgerRows.Decision) {
        guard let answer = asked.answers.first else { return }
        let signing = rows.signatures.first { $0.decision == decision.id }?.signing
        guard answer.status == 201, let issuedOffer = decision.issuedOffer, let signing,
            answer.json["decisionId"] as? String == decision.id, answer.json["issuedOfferId"] as? String == issuedOffer,
            answer.artefacts == state.signatures[issuedOffer]?[signing]
        else {
            problems.append("\(asked.request): what was released is not what was recorded (invariant 1): \(decision)")
            return
        }
    }
}

extension ModelLedger {
    /// Where a dry-run of every offer says anything but what orders would get (invariant 4).
    func difference(of outcomes: [String: Set<String>], toDryRunOf customer: Int, at now: Int64) -> String? {
        for offer in terms {
            let plan = Plan(
                formats: Set(offer.formats.prefix(1)), appAccountToken: nil,
                reference: ModelCustomers.original(customer))
            let expected = answer(Ask(customer: customer, offer: offer.id, plan: plan), at: now)
            if outcomes[offer.id] != expected.violated {
                return "\(offer.id): \(outcomes[offer.id]?.sorted() ?? ["nothing"]), the model says \(expected)"
            }
        }
        return outcomes.count == terms.count ? nil : "decisions on \(outcomes.keys.sorted())"
    }
}
