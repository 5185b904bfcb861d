import OfferAPI
public import OfferModel
public import OfferStore
import Synchronization

/// Delivers events to one webhook, in order per customer and at least once (docs/decisions/0058).
///
/// A process that is killed while it sends leaves events that another one sends again, under the same id.
public final class WebhookDelivery: Sendable {
    /// How long after an event its delivery is tried, in milliseconds: 3 days.
    public static let patience = 3 * Instant.Duration.day
    /// The waits after each failed attempt of one event, in milliseconds; the last one is repeated.
    static let waits: [Int64] = [
        5 * Instant.Duration.second, 5 * Instant.Duration.minute, 30 * Instant.Duration.minute,
        2 * Instant.Duration.hour, 5 * Instant.Duration.hour, 10 * Instant.Duration.hour, 14 * Instant.Duration.hour,
        20 * Instant.Duration.hour,
    ]
    /// The longest wait while nothing can be delivered at all, in milliseconds.
    static let longestPause = 5 * Instant.Duration.minute
    /// The same while the receiver answers, though with failures.
    static let longestAnsweredPause = Instant.Duration.minute
    /// An event that fails so long after the last success, in milliseconds, may have failed because of the receiver.
    static let doubt = Instant.Duration.minute
    /// The longest `Retry-After` that is honoured, in milliseconds.
    static let longestRetryAfter = Instant.Duration.hour
    static let lease = 30 * Instant.Duration.second
    /// A round ends within this time, in milliseconds: ``sendingTime`` and the longest answer.
    static let neededLease = 27 * Instant.Duration.second
    /// No attempt begins later in a round, in milliseconds: with the time that the answer may take, the round ends
    /// before the lease.
    static let sendingTime = 10 * Instant.Duration.second
    /// How long a process that stops waits for answers.
    static let lastWait = Duration.seconds(2)
    static let batch = 100
    public static let concurrency = 16
    /// No further events are read while this many wait to be sent again.
    static let mostWaiting = 10_000
    static let unwrittenEvents: Int64 = 10_000

    /// The result of a round, for the log.
    public enum Note: Sendable, Hashable {
        /// Nothing can be delivered; with the first failure.
        case failing(String)
        /// These events were refused for the first time; with the first failure.
        case refused([EventId], String)
        case recovered
        /// Events that were never delivered, by their ids.
        case dropped([EventId])
        /// The receiver answered 410: nothing is sent any more.
        case gone
    }

    private struct Memory {
        var isGone = false
        /// Events beyond `doneTo` that were delivered while others were not.
        var delivered: Set<Int64> = []
        /// How far there is no event for this webhook.
        var emptyTo: Int64 = 0
    }

    let webhook: Webhook
    let database: any StoreDatabase
    let sender: any WebhookSender
    let holder: String
    let isAlone: Bool
    let clock: @Sendable () -> Instant
    let realClock: @Sendable () -> Instant
    let metrics: WebhookMetrics
    let onNote: @Sendable (Webhook, Note) -> Void
    let onFailure: @Sendable (Webhook, String) -> Void
    private let pace: SpacedTurns
    private let memory = Mutex(Memory())

    /// - Parameters:
    ///   - holder: identifies this process.
    ///   - isAlone: whether it delivers only while no other does, so that it need not wait for another's lease to end.
    ///   - realClock: dates leases and attempts, which a receiver compares with its own clock: real time even where the
    ///     service's time is a test's.
    ///   - onFailure: told the first failure of each round that has one.
    public init(
        _ webhook: Webhook, database: any StoreDatabase, sender: any WebhookSender, holder: String,
        isAlone: Bool = false,
        clock: @escaping @Sendable () -> Instant, realClock: @escaping @Sendable () -> Instant,
        metrics: WebhookMetrics, onNote: @escaping @Sendable (Webhook, Note) -> Void = { _, _ in },
        onFailure: @escaping @Sendable (Webhook, String) -> Void = { _, _ in }
    ) {
        self.webhook = webhook
        self.database = database
        self.sender = sender
        self.holder = holder
        self.isAlone = isAlone
        self.clock = clock
        self.realClock = realClock
        self.metrics = metrics
        self.onNote = onNote
        self.onFailure = onFailure
        pace = SpacedTurns(interval: .seconds(1) / max(1, webhook.perSecond))
        metrics.begin(webhook)
    }

    /// Sends what is due now, once.
    ///
    /// - Parameter mayGoOn: asked before each attempt; `false` when the process is about to stop.
    /// - Returns: whether there may be more to do at once.
    public func round(while mayGoOn: @escaping @Sendable () -> Bool = { true }) async throws -> Bool {
        guard let work = try await work() else {
            try await database.write { [webhook] in try WebhookStore($0).add(webhook.id) }
            return true
        }
        guard !work.hasMerged else {
            try await database.write { [webhook] in try WebhookStore($0).unite(webhook.id) }
            return true
        }
        let lag = work.oldest.map { max(0, work.now.milliseconds(since: $0)) } ?? 0
        metrics.state(of: webhook, lag: lag, waiting: work.waiting)
        if work.entries.isEmpty { memory.withLock { $0.emptyTo = max($0.emptyTo, work.readTo) } }
        guard !work.isPaused else { return work.entries.isEmpty && work.hasMore }
        guard !work.isIdle else {
            // Seldom written: after a restart at most this number of events of other types is read again.
            if work.readTo - work.state.doneTo >= Self.unwrittenEvents, try await holdsLease(work.state) {
                _ = try await save(WebhookRound(work, [], at: work.now))
            }
            return work.hasMore
        }
        guard try await holdsLease(work.state) else { return false }
        let candidates = work.candidates
        let outcomes = await send(candidates, while: mayGoOn)
        return try await save(
            WebhookRound(work, zip(candidates, outcomes).map { ($0, $1) }, at: clock()))
    }

    private func work() async throws -> WebhookWork? {
        let (now, leaseNow, known) = (clock(), realClock(), memory.withLock { $0 })
        return try await database.read { [webhook, holder, isAlone] transaction in
            let store = WebhookStore(transaction)
            guard let state = try store.state(webhook.id) else { return nil }
            var work = WebhookWork(state: state, now: now)
            work.isPaused =
                known.isGone || state.retryAt.map { now < $0 } ?? false
                || !isAlone && state.isLeased(fromOther: holder, at: leaseNow, for: Self.lease)
            work.waiting = try store.waiting(webhook.id)
            let events = EventStore(transaction)
            if !work.isPaused {
                work.hasMerged = try store.hasMerged(webhook.id)
                work.blocked = try store.waitingCustomers(webhook.id)
                var retries = try store.due(webhook.id, at: now, limit: Self.batch)
                if retries.isEmpty, work.waiting > 1 {
                    // Refused alone, one after the other: the receiver may have been to blame, and may be well again.
                    retries +=
                        try store.stalled(
                            webhook.id, since: state.succeededAt ?? .distantPast,
                            before: now.adding(milliseconds: -Self.longestPause)
                        ).map { [$0] } ?? []
                }
                for retry in retries {
                    let event = try events.page(after: retry.sequence - 1, limit: 1).first
                    let isWanted = event.map { $0.sequence == retry.sequence && webhook.takes($0.type, in: $0.scope) }
                    work.add(retry, isWanted == true ? event : nil)
                }
            }
            work.readTo = max(state.doneTo, known.emptyTo)
            let newest = try StoreClock(transaction).newestSequence()
            guard work.readTo < newest, work.waiting < Self.mostWaiting else { return work }
            // For the lag, while nothing is sent, the next event is enough.
            let room = work.isPaused && webhook.app == nil && webhook.environment == nil ? 1 : Self.batch
            let page = try events.page(after: work.readTo, types: webhook.events, limit: room)
            work.hasMore = page.count == room
            work.readTo = work.hasMore ? page.last?.sequence ?? newest : newest
            let start = page.first.map { $0.sequence - 1 } ?? work.readTo
            let putOff = try store.retries(webhook.id, after: start, upTo: work.readTo)
            for event in page where webhook.takes(event.type, in: event.scope) {
                // One that is only sent once more by hand has its turn too.
                let isPutOff = putOff[event.sequence].map { $0.customer != nil || event.customer == nil } ?? false
                work.add(event, isDelivered: isPutOff || known.delivered.contains(event.sequence))
            }
            return work
        }
    }

    /// Whether this process has the lease for as long as a round takes; takes it if it is free or ends soon.
    private func holdsLease(_ state: WebhookState) async throws -> Bool {
        let now = realClock()
        if state.leaseHolder == holder, let end = state.leaseUntil, end.milliseconds(since: now) >= Self.neededLease {
            return true
        }
        let end = now.adding(milliseconds: Self.lease)
        return try await database.write { [webhook, holder, isAlone] in
            try WebhookStore($0).lease(webhook.id, to: holder, until: end, at: now, takesOver: isAlone)
        }
    }

    /// Sends events side by side, those of one customer one after the other until one fails.
    private func send(
        _ items: [WebhookItem], while mayGoOn: @escaping @Sendable () -> Bool
    ) async -> [WebhookOutcome] {
        let lanes = WebhookWork.lanes(items)
        let end = ContinuousClock.now + .milliseconds(Self.sendingTime)
        let results = WebhookResults(count: items.count, lanes: lanes.count)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<min(Self.concurrency, lanes.count) {
                        group.addTask {
                            while let lane = results.nextLane() {
                                for index in lanes[lane] {
                                    await self.pace.turn(within: end - .now)
                                    guard mayGoOn(), ContinuousClock.now < end else { return }
                                    let outcome = await self.attempt(items[index])
                                    results.set(outcome, at: index)
                                    if outcome != .delivered { break }
                                }
                            }
                        }
                    }
                }
            }
            group.addTask {
                while mayGoOn(), (try? await Task.sleep(for: .milliseconds(100))) != nil {}
                try? await Task.sleep(for: Self.lastWait)
            }
            await group.next()
            group.cancelAll()
        }
        return results.all
    }

    private func attempt(_ item: WebhookItem) async -> WebhookOutcome {
        let outcome: WebhookOutcome
        do {
            let body = try WireJSON.encode(try await database.read { try EventBody(item.event, $0) })
            outcome = WebhookOutcome(await sender.send(webhook.message(item.event.id.uuid, body, at: realClock())))
        } catch {
            outcome = .failed(WebhookFailure(reason: "its data cannot be read", isOfReceiver: false))
        }
        // The process stops, and another one may send it.
        if outcome.failure != nil, Task.isCancelled { return .untried }
        metrics.attempted(webhook, outcome)
        return outcome
    }

    /// - Returns: whether there may be more to send at once.
    private func save(_ round: WebhookRound) async throws -> Bool {
        let end = realClock().adding(milliseconds: Self.lease)
        let isSaved = try await database.write { [webhook, holder, clock] transaction in
            var progress = round.progress
            progress.state.leaseUntil = end
            return try WebhookStore(transaction).save(progress, of: webhook.id, by: holder, at: clock())
        }
        guard isSaved else { return false }
        memory.withLock {
            $0.isGone = round.isGone
            $0.delivered = $0.delivered.union(round.deliveredAhead).filter { $0 > round.state.doneTo }
        }
        note(round)
        return !round.isFailing && !round.isGone
    }

    /// Lets another process deliver at once, and ends what the metrics show of a webhook that gets no more events from
    /// here.
    public func end() async {
        metrics.state(of: webhook, lag: 0, waiting: 0)
        // Without it the lease ends by itself.
        try? await database.write { [webhook, holder] in try WebhookStore($0).release(webhook.id, by: holder) }
    }

    private func note(_ round: WebhookRound) {
        if let failure = round.firstFailure { onFailure(webhook, failure.reason) }
        if !round.dropped.isEmpty {
            metrics.dropped(round.dropped.count, by: webhook)
            onNote(webhook, .dropped(round.dropped))
        }
        if round.isGone {
            onNote(webhook, .gone)
        } else if round.isFailing, !round.work.isProbe {
            onNote(webhook, .failing(round.firstFailure?.reason ?? ""))
        } else if round.work.isProbe, round.state.failures == 0 {
            onNote(webhook, .recovered)
        } else if !round.isFailing, !round.refused.isEmpty {
            onNote(webhook, .refused(round.refused, round.firstFailure?.reason ?? ""))
        }
    }
}

/// The state that the tasks of one round share.
private final class WebhookResults: Sendable {
    private let lanes: Int
    private let state: Mutex<(lane: Int, outcomes: [WebhookOutcome])>

    init(count: Int, lanes: Int) {
        self.lanes = lanes
        state = Mutex((0, Array(repeating: .untried, count: count)))
    }

    var all: [WebhookOutcome] { state.withLock { $0.outcomes } }

    func nextLane() -> Int? {
        state.withLock { state in
            guard state.lane < lanes else { return nil }
            state.lane += 1
            return state.lane - 1
        }
    }

    func set(_ outcome: WebhookOutcome, at index: Int) { state.withLock { $0.outcomes[index] = outcome } }
}
