import OfferModel
import OfferStore

/// Why an attempt failed.
struct WebhookFailure: Sendable, Hashable {
    var reason: String
    /// Whether the receiver would have refused any event.
    var isOfReceiver: Bool
    /// How long the receiver asks to wait, in milliseconds.
    var retryAfter: Int64 = 0
}

enum WebhookOutcome: Sendable, Hashable {
    case delivered
    case failed(WebhookFailure)
    /// The receiver wants no more events.
    case gone
    /// The time was over, or an earlier event of the customer failed.
    case untried

    init(_ reply: WebhookReply) {
        switch reply {
        case .status(200..<300, _): self = .delivered
        case .status(410, _): self = .gone
        case .status(let status, let retryAfter):
            let seconds = retryAfter.flatMap { Int64($0) }.map { min(max($0, 0), 86_400) } ?? 0
            let failure = WebhookFailure(
                reason: "status \(status)", isOfReceiver: [429, 502, 503, 504].contains(status),
                retryAfter: min(seconds * Instant.Duration.second, WebhookDelivery.longestRetryAfter))
            self = .failed(failure)
        case .failed(let reason): self = .failed(WebhookFailure(reason: reason, isOfReceiver: true))
        }
    }

    var failure: WebhookFailure? {
        guard case .failed(let failure) = self else { return nil }
        return failure
    }
}

/// An event that can be sent now.
struct WebhookItem: Sendable, Hashable {
    var event: StoredEvent
    /// Set if it was put off before.
    var retry: WebhookRetry?

    /// Whose events are sent one after the other.
    var customer: CustomerNumber? { retry == nil ? event.customer?.number : retry?.customer }
}

/// What there is to send in one round, as of one snapshot.
struct WebhookWork: Sendable {
    /// An event that was not read before.
    struct Entry: Sendable {
        enum Kind: Sendable, Hashable {
            case sendable
            /// Nothing is left to do.
            case delivered, expired
            /// Waits for the retries under this number.
            case blocked(CustomerNumber)
        }

        var event: StoredEvent
        var kind: Kind
    }

    var state: WebhookState
    var now: Instant
    /// Whether nothing may be sent now: another process does, or the receiver is left alone for a while.
    var isPaused = false
    /// How many events wait to be sent again.
    var waiting = 0
    /// The place up to which events were read.
    var readTo: Int64 = 0
    /// Whether there may be more events after ``readTo``.
    var hasMore = false
    var blocked: [CustomerNumber: CustomerNumber] = [:]
    private(set) var retries: [WebhookItem] = []
    private(set) var entries: [Entry] = []
    /// Retries of events that no longer exist.
    private(set) var vanished: [WebhookRetry] = []
    private(set) var expired: [WebhookItem] = []

    init(state: WebhookState, now: Instant) {
        self.state = state
        self.now = now
    }

    mutating func add(_ retry: WebhookRetry, _ event: StoredEvent?) {
        guard let event else { return vanished.append(retry) }
        let item = WebhookItem(event: event, retry: retry)
        if retry.expiresAt <= now { expired.append(item) } else { retries.append(item) }
    }

    mutating func add(_ event: StoredEvent, isDelivered: Bool) {
        let kind: Entry.Kind =
            if isDelivered {
                .delivered
            } else if event.occurredAt.adding(milliseconds: WebhookDelivery.patience) <= now {
                .expired
            } else if let key = event.customer.flatMap({ blocked[$0.number] }) {
                .blocked(key)
            } else {
                .sendable
            }
        entries.append(Entry(event: event, kind: kind))
    }

    var isIdle: Bool { retries.isEmpty && entries.isEmpty && vanished.isEmpty && expired.isEmpty }

    /// When the oldest event happened that was not tried yet.
    var oldest: Instant? {
        entries.first { $0.kind != .delivered && $0.kind != .expired }?.event.occurredAt
    }

    var items: [WebhookItem] {
        retries + entries.filter { $0.kind == .sendable }.map { WebhookItem(event: $0.event) }
    }

    /// The items that are sent side by side, each followed by those that wait for it: indices of ``items``.
    static func lanes(_ items: [WebhookItem]) -> [[Int]] {
        var lanes: [[Int]] = []
        var places: [CustomerNumber: Int] = [:]
        for (index, item) in items.enumerated() {
            if let customer = item.customer, let place = places[customer] {
                lanes[place].append(index)
            } else {
                if let customer = item.customer { places[customer] = lanes.count }
                lanes.append([index])
            }
        }
        return lanes
    }

    /// What to send: all, or while the receiver fails one event, each time another one.
    var candidates: [WebhookItem] {
        guard isProbe else { return items }
        let items = items
        let heads = Self.lanes(items).compactMap(\.first)
        return heads.isEmpty ? [] : [items[heads[state.failures % heads.count]]]
    }

    var isProbe: Bool { state.failures > 0 }
}

/// What was sent in one round, and what follows from it.
struct WebhookRound: Sendable {
    let work: WebhookWork
    private let outcomes: [Int64: WebhookOutcome]
    private(set) var state: WebhookState
    private(set) var finished: [WebhookRetry] = []
    private(set) var postponed: [WebhookRetry] = []
    private(set) var dropped: [EventId] = []
    /// Delivered events that are not covered by the new place.
    private(set) var deliveredAhead: [Int64] = []
    let firstFailure: WebhookFailure?
    let isGone: Bool
    /// Whether the receiver takes no event at all.
    let isFailing: Bool

    /// - Parameter outcomes: of the candidates that were sent, in their order.
    init(_ work: WebhookWork, _ sent: [(item: WebhookItem, outcome: WebhookOutcome)], at now: Instant) {
        self.work = work
        outcomes = Dictionary(sent.map { ($0.item.event.sequence, $0.outcome) }) { first, _ in first }
        let hasDelivered = sent.contains { $0.outcome == .delivered }
        let failures = sent.compactMap(\.outcome.failure)
        firstFailure = failures.first
        isGone = sent.contains { $0.outcome == .gone }
        // One event that is refused alone may be to blame itself; several are not.
        let isSingle = WebhookWork.lanes(work.items).count < 2
        isFailing = !hasDelivered && !failures.isEmpty && (!isSingle || failures.contains(where: \.isOfReceiver))
        state = work.state
        finished = work.vanished + work.expired.compactMap(\.retry)
        dropped = work.expired.map(\.event.id)
        if hasDelivered { state.succeededAt = now }
        settleRetries(at: now)
        let isUntried = !sent.isEmpty && sent.allSatisfy { $0.outcome == .untried }
        if isGone || isFailing || isUntried || (work.isProbe && hasDelivered) {
            advance()
        } else {
            settleEntries(at: now)
        }
        settleState(hasDelivered: hasDelivered, pause: failures.map(\.retryAfter).max() ?? 0, at: now)
    }

    /// The changes to write.
    var progress: WebhookProgress {
        var progress = WebhookProgress(state: state)
        progress.finished = finished
        progress.postponed = postponed
        return progress
    }

    private mutating func settleState(hasDelivered: Bool, pause: Int64, at now: Instant) {
        state.retryAt = pause > 0 ? now.adding(milliseconds: pause) : nil
        if hasDelivered {
            state.failures = 0
            state.failingSince = nil
        } else if isFailing {
            state.failures = state.failures.saturatingAdding(1)
            state.failingSince = state.failingSince ?? now
            var wait = WebhookDelivery.waits[0]
            for _ in 1..<min(state.failures, 16) where wait < WebhookDelivery.longestPause { wait *= 2 }
            wait = max(min(wait, WebhookDelivery.longestPause), pause)
            state.retryAt = now.adding(milliseconds: wait)
        }
    }

    private mutating func settleRetries(at now: Instant) {
        for item in work.retries {
            guard let retry = item.retry, let outcome = outcomes[item.event.sequence] else { continue }
            switch outcome {
            case .delivered: finished.append(retry)
            // The receiver's failures are not the event's.
            case .failed(let failure) where !isFailing && !isGone:
                if let later = later(retry, failure, at: now) {
                    postponed.append(later)
                } else {
                    finished.append(retry)
                    dropped.append(item.event.id)
                }
            case .failed, .gone, .untried: break
            }
        }
    }

    /// The next attempt; `nil` if the event is dropped before.
    private func later(_ retry: WebhookRetry, _ failure: WebhookFailure, at now: Instant) -> WebhookRetry? {
        let waits = WebhookDelivery.waits
        let wait = waits[min(retry.attempts, waits.count - 1)]
        var retry = retry
        retry.attempts += 1
        let next = now.adding(milliseconds: max(wait, failure.retryAfter))
        retry.nextAt = next
        return next < retry.expiresAt ? retry : nil
    }

    /// Goes past the first events that need nothing more.
    private mutating func advance() {
        var isAhead = false
        for entry in work.entries {
            let sequence = entry.event.sequence
            let isDelivered = entry.kind == .delivered || outcomes[sequence] == .delivered
            if !isAhead, isDelivered || entry.kind == .expired {
                state.doneTo = sequence
                if entry.kind == .expired { dropped.append(entry.event.id) }
            } else {
                isAhead = true
                if isDelivered { deliveredAhead.append(sequence) }
            }
        }
        if !isAhead { state.doneTo = max(state.doneTo, work.readTo) }
    }

    /// Goes past all events; what was not delivered is put off.
    private mutating func settleEntries(at now: Instant) {
        var waiting: Set<CustomerNumber> = []
        for entry in work.entries {
            let event = entry.event
            let outcome = outcomes[event.sequence] ?? .untried
            guard entry.kind != .delivered, outcome != .delivered else { continue }
            guard entry.kind != .expired else {
                dropped.append(event.id)
                continue
            }
            var retry = WebhookRetry(
                sequence: event.sequence, customer: event.customer?.number, attempts: 0, nextAt: now,
                expiresAt: event.occurredAt.adding(milliseconds: WebhookDelivery.patience))
            if case .blocked(let key) = entry.kind {
                retry.customer = key
                retry.nextAt = nil
            } else if let failure = outcome.failure {
                guard let later = later(retry, failure, at: now) else {
                    dropped.append(event.id)
                    continue
                }
                retry = later
            }
            // Later events of a customer wait for the first one.
            if let customer = retry.customer, !waiting.insert(customer).inserted { retry.nextAt = nil }
            postponed.append(retry)
        }
        state.doneTo = max(state.doneTo, work.readTo)
    }
}
