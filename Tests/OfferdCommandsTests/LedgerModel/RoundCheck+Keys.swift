extension RoundCheck {
    mutating func checkStatuses() {
        for asked in requests.values {
            let known: Set<Int> =
                switch asked.request.work {
                case .issue: asked.request.key == nil ? [200, 201, 403, 503] : [200, 201, 403, 409, 503]
                case .void, .redeem, .dryRun: [200, 503]
                }
            for answer in asked.sends.compactMap(\.answer) where !known.contains(answer.status) {
                problems.append(
                    "\(asked.request): \(answer.status) \(String(decoding: answer.body, as: UTF8.self).prefix(400))")
            }
            if asked.looked.contains(where: { $0 != 200 }) {
                problems.append("\(asked.request): what was released was not there (invariant 1): \(asked.looked)")
            }
        }
    }

    /// One answer a key, byte for byte, for 24 hours (docs/design.md#issuing).
    mutating func checkKeys() {
        let keyed = Dictionary(grouping: requests) { $0.value.request.key }
        for (key, entries) in keyed {
            guard let key else { continue }
            let group = Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
            let stored = rows.keptAnswers[key]
            let kept = state.kept[key]
            let isLive = Set(instants.map { kept?.isLive(at: $0) ?? false })
            if isLive.count > 1 {
                // It ends in the midst of the round: some may get it again, some a new one. Only the new one says when.
                for number in group.keys {
                    replayed.insert(number)
                    requests[number]?.forgetReplays()
                }
                state.kept[key] = stored.map { ModelState.Kept(number: nil, answer: $0) }
            } else if let kept, isLive == [true] {
                if stored != kept.answer { problems.append("\(key): its kept answer was lost or changed") }
                checkReplays(of: key, kept, group)
            } else {
                state.kept[key] = newlyKept(key, stored, group)
            }
        }
    }

    /// Every request under the key gets the answer that was kept before the round, and nothing is decided for it.
    private mutating func checkReplays(of key: String, _ kept: ModelState.Kept, _ group: [Int: Asked]) {
        for (number, asked) in group {
            replayed.insert(number)
            compare(asked, kept, key)
            if let decision = decision(of: number) { problems.append("\(key) was decided anew: \(decision)") }
            if let own = kept.number, own != number, !asked.answers.isEmpty {
                problems.append("\(key) answered another request")
            }
            if kept.number == number, asked.sends.contains(where: { $0.answer?.status == 409 }) {
                problems.append("\(key) refused its own request")
            }
        }
    }

    /// The answer that one request under the key got; it is kept, and equal ones get it again.
    private mutating func newlyKept(
        _ key: String, _ stored: LedgerRows.IdempotencyRecord?, _ group: [Int: Asked]
    ) -> ModelState.Kept? {
        let answered = group.filter { !$0.value.answers.isEmpty || decision(of: $0.key) != nil }
        if answered.count > 1 { problems.append("\(key) answered several: \(answered.map(\.key))") }
        guard let stored, instants.contains(stored.answeredAt) else {
            if !answered.isEmpty { problems.append("\(key) was answered, and its answer was not kept") }
            return nil
        }
        let kept = ModelState.Kept(number: answered.first?.key, answer: stored)
        for (_, asked) in answered {
            compare(asked, kept, key)
            if asked.answers.count(where: { $0.headers["idempotent-replayed"] == nil }) > 1 {
                problems.append("\(key) was answered anew")
            }
        }
        return kept
    }

    private mutating func compare(_ asked: Asked, _ kept: ModelState.Kept, _ key: String) {
        for answer in asked.answers where answer.body != kept.answer.body || answer.status != kept.answer.status {
            problems.append("\(key) was answered otherwise than its kept answer: \(answer.status)")
        }
    }
}
