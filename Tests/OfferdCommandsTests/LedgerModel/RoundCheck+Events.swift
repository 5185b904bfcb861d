extension RoundCheck {
    mutating func collectEvents() {
        for decision in rows.decisions {
            guard let asked = requests[decision.number], case .issue(let ask, _) = asked.request.work,
                ask.offer == decision.offer, instants.contains(decision.decidedAt)
            else {
                problems.append("nobody asked for the decision \(decision)")
                continue
            }
            guard decision.kind != "refusal" else { continue }
            let issuedOffer = decision.issuedOffer ?? ""
            events.append(
                ModelEvent(
                    number: decision.number,
                    change: decision.kind == "issue"
                        ? .issue(ask, issuedOffer: issuedOffer) : .sign(ask, issuedOffer: issuedOffer),
                    at: decision.decidedAt, place: decision.sequence, started: asked.started, ended: asked.ended))
        }
        for (number, count) in Dictionary(rows.decisions.map { ($0.number, 1) }, uniquingKeysWith: +) where count > 1 {
            problems.append("#\(number) was decided \(count) times")
        }
        for (number, asked) in requests {
            guard let redemption = asked.request.redemption else { continue }
            let received = rows.transactions[redemption.transactionId]
            if (received != nil) != rows.renewalInfos.contains(redemption.transactionId) {
                problems.append("half of the delivery #\(number) was kept")
            }
            if let received {
                events.append(
                    ModelEvent(
                        number: number, change: .redeem(redemption), at: received.at, place: received.sequence,
                        started: asked.started,
                        ended: asked.ended))
            } else if asked.rests(on: decision(of: number)), !state.ledger.knows(redemption) {
                problems.append("#\(number) was answered, and its transaction is not there")
            }
        }
        collectVoids()
    }

    mutating func collectVoids() {
        for (id, issuedOffer) in rows.issuedOffers {
            guard let reason = issuedOffer.voidReason,
                state.ledger.issuedOffers.first(where: { $0.id == id })?.voidedAt == nil
            else { continue }
            guard let number = Int(reason), let asked = requests[number],
                case .void(id, let release) = asked.request.work, release == issuedOffer.isReleased,
                let at = issuedOffer.voidedAt,
                instants.contains(at)
            else {
                problems.append("nobody voided \(id) like this: \(issuedOffer)")
                continue
            }
            guard let audited = rows.voids[issuedOffer.sequence] else {
                problems.append("the audit does not tell of the void of \(id)")
                continue
            }
            events.append(
                ModelEvent(
                    number: number, change: .void(issuedOffer: id, release: release), at: at, audited: audited,
                    started: asked.started, ended: asked.ended))
        }
    }

    mutating func collectSignatures() {
        for signature in rows.signatures {
            state.signatures[signature.issuedOffer, default: [:]][signature.signing, default: [:]][signature.format] =
                signature.artefact
        }
        for decision in rows.decisions {
            guard let asked = requests[decision.number], case .issue(let ask, _) = asked.request.work else { continue }
            let formats = rows.signatures.filter { $0.decision == decision.id }.map(\.format)
            let wanted = decision.kind == "refusal" ? [] : ask.plan.formats.sorted()
            if formats.sorted() != wanted { problems.append("signatures \(formats) of the decision \(decision)") }
        }
    }
}

extension RoundCheck.Asked {
    /// Whether it was answered by what was done for it, and not with an answer that was kept.
    fileprivate func rests(on decision: LedgerRows.Decision?) -> Bool {
        decision != nil || answers.contains { $0.headers["idempotent-replayed"] == nil }
    }
}

extension ModelLedger {
    fileprivate func knows(_ redemption: Redemption) -> Bool {
        redemptions.contains { $0.transactionId == redemption.transactionId }
    }
}
