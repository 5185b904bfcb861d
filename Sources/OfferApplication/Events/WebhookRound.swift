import OfferModel
import OfferStore

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

    /// The owner whose events are sent one after the other.
    var customer: CustomerNumber? { retry == nil ? event.customer?.number : retry?.customer }
}

/// The events to send in one round, as of one snapshot.
struct WebhookWork: Sendable {
    /// An event that was not read before.
    struct Entry: Sendable {
        enum Kind: Sendable, Hashable {
            case sendable
            /// Nothing is left to do, or it has a retry of its own.
            case delivered
            case expired
            /// Waits for the retries of its customer.
            case blocked
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
    /// Whether retries are still under the numbers of customers who were merged.
    var hasMerged = false
    /// Whether there may be more events after ``readTo``.
    var hasMore = false
    /// The customers with retries.
    var blocked: Set<CustomerNumber> = []
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
            } else if event.customer.map({ blocked.contains($0.number) }) == true {
                .blocked
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

    private var fresh: [WebhookItem] {
        entries.filter { $0.kind == .sendable }.map { WebhookItem(event: $0.event) }
    }

    /// The items that are sent side by side, each followed by those that wait for it: their indices.
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

    /// The events to send: all, or while the receiver fails one new event and one that was refused, each time others.
    var candidates: [WebhookItem] {
        guard isProbe else { return retries + fresh }
        return [retries, fresh].compactMap { items in
            let heads = Self.lanes(items).compactMap(\.first)
            return heads.isEmpty ? nil : items[heads[state.failures % heads.count]]
        }
    }

    var isProbe: Bool { state.failures > 0 }
}

/// The deliveries of one round, and their consequences.
struct WebhookRound: Sendable {
    let work: WebhookWork
    private let outcomes: [Int64: WebhookOutcome]
    /// The changes to write.
    private(set) var progress: WebhookProgress
    private(set) var dropped: [EventId] = []
    /// Delivered events that are not covered by the new place.
    private(set) var deliveredAhead: [Int64] = []
    let firstFailure: WebhookFailure?
    let isGone: Bool
    /// Whether the receiver takes no event at all.
    let isFailing: Bool
    /// Events that were refused for the first time.
    private(set) var refused: [EventId] = []

    /// - Parameter outcomes: of the candidates that were sent, in their order.
    init(_ work: WebhookWork, _ sent: [(item: WebhookItem, outcome: WebhookOutcome)], at now: Instant) {
        self.work = work
        outcomes = Dictionary(sent.map { ($0.item.event.sequence, $0.outcome) }) { first, _ in first }
        let hasDelivered = sent.contains { $0.outcome == .delivered }
        let failures = sent.compactMap(\.outcome.failure)
        firstFailure = failures.first
        isGone = sent.contains { $0.outcome == .gone }
        // One event that is refused alone may be to blame itself, as those that were refused before; several new ones
        // are not.
        let isOfSeveral = sent.count { $0.item.retry == nil && $0.outcome.failure != nil } > 1
        isFailing =
            !hasDelivered && !failures.isEmpty
            && (work.isProbe || isOfSeveral || failures.contains(where: \.isOfReceiver))
        progress = WebhookProgress(state: work.state)
        progress.finished = work.vanished + work.expired.compactMap(\.retry)
        dropped = work.expired.map(\.event.id)
        if hasDelivered, work.state.succeededAt != now {
            progress.state.succeededAt = now
            progress.wokenSince = (work.state.succeededAt ?? .distantPast).adding(milliseconds: WebhookDelivery.doubt)
        }
        settleRetries(at: now)
        settleEntries(at: now)
        settleState(hasDelivered: hasDelivered, failures, at: now)
    }

    var state: WebhookState { progress.state }

    private mutating func settleState(hasDelivered: Bool, _ failures: [WebhookFailure], at now: Instant) {
        var state = state
        defer { progress.state = state }
        let pause = failures.map(\.retryAfter).max() ?? 0
        state.retryAt = pause > 0 ? now.adding(milliseconds: pause) : nil
        if hasDelivered {
            state.failures = 0
            state.failingSince = nil
        } else if isFailing {
            state.failures = state.failures.saturatingAdding(1)
            state.failingSince = state.failingSince ?? now
            // A receiver that answers may refuse these events alone: others should not wait long.
            let isAway = failures.contains(where: \.isOfReceiver)
            let longest = isAway ? WebhookDelivery.longestPause : WebhookDelivery.longestAnsweredPause
            var wait = WebhookDelivery.waits[0]
            for _ in 1..<min(state.failures, 16) where wait < longest { wait *= 2 }
            wait = max(min(wait, longest), pause)
            state.retryAt = now.adding(milliseconds: wait)
        }
    }

    private mutating func settleRetries(at now: Instant) {
        for item in work.retries {
            guard let retry = item.retry, let outcome = outcomes[item.event.sequence] else { continue }
            switch outcome {
            case .delivered: progress.finished.append(retry)
            // The receiver's failures are not the event's.
            case .failed(let failure) where !(isFailing && failure.isOfReceiver) && !isGone:
                let later = later(retry, failure, at: now)
                if later.nextAt == later.expiresAt {
                    progress.finished.append(retry)
                    dropped.append(item.event.id)
                } else {
                    progress.postponed.append(later)
                }
            case .failed, .gone, .untried: break
            }
        }
    }

    /// With the next attempt, or the end if that comes first.
    private func later(_ retry: WebhookRetry, _ failure: WebhookFailure, at now: Instant) -> WebhookRetry {
        let waits = WebhookDelivery.waits
        let wait = waits[min(retry.attempts, waits.count - 1)]
        var retry = retry
        retry.attempts += 1
        retry.nextAt = min(now.adding(milliseconds: max(wait, failure.retryAfter)), retry.expiresAt)
        retry.failedAt = now
        return retry
    }

    /// Goes past the first events that need nothing more.
    private mutating func settleEntries(at now: Instant) {
        var waiting: Set<CustomerNumber> = []
        var isAhead = false
        for entry in work.entries {
            let sequence = entry.event.sequence
            let isDelivered = entry.kind == .delivered || outcomes[sequence] == .delivered
            if !isDelivered, entry.kind != .expired, !isPutOff(entry, &waiting, at: now) { isAhead = true }
            if !isAhead {
                progress.state.doneTo = sequence
                if entry.kind == .expired { dropped.append(entry.event.id) }
            } else if isDelivered {
                deliveredAhead.append(sequence)
            }
        }
        if !isAhead { progress.state.doneTo = max(state.doneTo, work.readTo) }
    }

    /// Makes an event that failed, or that has to wait for such a one of its customer, a retry.
    ///
    /// - Parameter waiting: the customers of those that failed.
    /// - Returns: `false` if it stays where it is.
    private mutating func isPutOff(
        _ entry: WebhookWork.Entry, _ waiting: inout Set<CustomerNumber>, at now: Instant
    ) -> Bool {
        let event = entry.event
        let retry = WebhookRetry(
            sequence: event.sequence, customer: event.customer?.number, attempts: 0, nextAt: nil,
            expiresAt: event.occurredAt.adding(milliseconds: WebhookDelivery.patience))
        if entry.kind == .blocked || retry.customer.map(waiting.contains) == true {
            guard !isFailing, !isGone else { return false }
            progress.postponed.append(retry)
            return true
        }
        // Of a receiver that fails only the probed event is put off, so that an outage fills no table.
        guard let failure = outcomes[event.sequence]?.failure, !isGone,
            !isFailing || (work.isProbe && !failure.isOfReceiver)
        else { return false }
        refused.append(event.id)
        if let customer = retry.customer { waiting.insert(customer) }
        progress.postponed.append(later(retry, failure, at: now))
        return true
    }
}
