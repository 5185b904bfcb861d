public import OfferAPI
public import OfferModel
import OfferStore
import Synchronization

/// How many customers would get an offer, counted in the background (docs/audience.md).
///
/// A server counts for one simulation at a time; a few more wait, one of each API key, so that no key keeps the others
/// from counting. The progress and the result are in the database, so that any server on it answers and a restart loses
/// no result.
public final class Simulations: Sendable {
    /// How many wait while one is counted.
    static let mostWaiting = 4
    /// How often a server looks whether another has cancelled what it counts.
    private static let lookout = Duration.milliseconds(500)
    /// How many looks go by before it writes how far it is, and before it writes although it is no further.
    private static let looksPerNote = 2
    private static let looksPerSignOfLife = 20

    private let registry: AppRegistry
    private let database: any StoreDatabase
    private let catalogs: CompiledCatalogs
    private let policy: Policy
    private let clock: RequestClock
    private let random: any RandomSource
    private let rates: RequestRates
    private let shares: LongWorkShares
    /// How many requests the server is answering.
    private let inProgress: @Sendable () -> Int
    private let jobs = Mutex<[LowercaseUUID: SimulationJob]>([:])

    init(
        registry: AppRegistry, database: any StoreDatabase, catalogs: CompiledCatalogs, policy: Policy,
        clock: RequestClock, random: any RandomSource, rates: RequestRates, shares: LongWorkShares,
        inProgress: @escaping @Sendable () -> Int
    ) {
        self.registry = registry
        self.database = database
        self.catalogs = catalogs
        self.policy = policy
        self.clock = clock
        self.random = random
        self.rates = rates
        self.shares = shares
        self.inProgress = inProgress
    }

    /// Begins one.
    ///
    /// - Throws: ``RequestError``, `simulationsWaiting` among them where as many wait as may, `simulationUnfinished`
    ///   where one of the same key is not done, and `rateLimited` where it has begun too many.
    public func start(_ request: SimulationRequest, caller: Caller) async throws -> SimulationStarted {
        let id = try random.uuid()
        let job = SimulationJob(request.offerId, by: caller)
        // Its place is taken first: what is asked may take long to read.
        try jobs.withLock { jobs in
            if let (id, job) = jobs.first(where: { $1.apiKeyId == caller.apiKeyId && $1.isWanted }) {
                throw RequestError.simulationUnfinished(id, of: job.offerId)
            }
            guard jobs.count <= Self.mostWaiting else { throw RequestError.simulationsWaiting }
            jobs[id] = job
        }
        do {
            let inquiry = try await self.inquiry(request, caller: caller)
            try rates.take(simulationBy: caller)
            try await add(id, caller: caller)
            job.begin(Task.detached { await self.run(id, job, inquiry) })
        } catch {
            jobs.withLock { $0[id] = nil }
            throw error
        }
        return SimulationStarted { $0.id = id }
    }

    private func inquiry(_ request: SimulationRequest, caller: Caller) async throws -> AudienceInquiry {
        var supposed = Inquiry()
        (supposed.asOf, supposed.catalog) = (request.asOf, request.catalog)
        let inquiry = AudienceInquiry(
            scope: caller.scope, request: request,
            whatIf: try await ResolvedWhatIf(supposed, scope: caller.scope, checking: shares.catalogs),
            formats: caller.formats(of: try registry.app(for: caller.scope)))
        // What is wrong with it is told at once.
        try await shares.suppositions.read(database) { [catalogs, policy, clock] transaction in
            _ = try AudienceCounting(inquiry, catalogs: catalogs, policy: policy, clock: clock, transaction)
        }
        return inquiry
    }

    private func add(_ id: LowercaseUUID, caller: Caller) async throws {
        try await database.write { [clock] transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else {
                throw RequestError.noCatalog(caller.scope)
            }
            let now = try clock.tolerantInstant(transaction)
            try SimulationStore(transaction).add(
                StoredSimulation(id: id, scope: number, apiKeyId: caller.apiKeyId, at: now))
        }
    }

    /// How far one is, or what came of it.
    ///
    /// - Parameter offer: of which offer it has to be.
    /// - Throws: `unknownSimulation`.
    public func show(
        _ id: LowercaseUUID, of offer: OfferId? = nil, caller: Caller
    ) async throws -> SimulationBody {
        try await database.read { [clock] transaction in
            try Self.body(id, of: offer, caller: caller, clock: clock, transaction)
        }
    }

    /// Cancels one that is not done; of one that has ended nothing changes.
    ///
    /// - Throws: `unknownSimulation`.
    public func cancel(_ id: LowercaseUUID, caller: Caller) async throws -> SimulationBody {
        let body = try await database.write { [clock] transaction in
            let before = try Self.body(id, caller: caller, clock: clock, transaction)
            guard before.state == .running else { return before }
            let now = try clock.tolerantInstant(transaction)
            try SimulationStore(transaction).finish(
                id, as: .cancelled, done: before.progress.done, of: before.progress.of, at: now)
            return try Self.body(id, caller: caller, clock: clock, transaction)
        }
        if body.state == .cancelled { jobs.withLock { $0[id] }?.cancel() }
        return body
    }

    private static func body(
        _ id: LowercaseUUID, of offer: OfferId? = nil, caller: Caller, clock: RequestClock,
        _ transaction: any StoreTransaction
    ) throws -> SimulationBody {
        let now = try clock.tolerantInstant(transaction)
        guard let number = try ScopeStore(transaction).number(of: caller.scope),
            let stored = try SimulationStore(transaction).simulation(id, at: now, in: number)
        else { throw RequestError.unknownSimulation(id.description) }
        var body = SimulationBody()
        body.id = id
        body.state = SimulationProgressState(rawValue: stored.state.rawValue) ?? .failed
        body.progress = AudiencePrivacy(caller.role).progress(
            stored.done, of: stored.of, isDone: stored.state == .done)
        body.failure = stored.failure
        if let result = stored.result {
            guard let kept = try? WireJSON.decode(KeptAudience.self, from: Array(result.utf8)) else {
                throw StoreError.corrupt("the result of the simulation `\(id)` cannot be read")
            }
            if let offer, kept.offerId != offer {
                throw RequestError.unknownSimulation(id.description)
            }
            body.result = try kept.shown(to: caller.role, transaction)
            if stored.apiKeyId != caller.apiKeyId { body.result?.where = nil }
        }
        return body
    }

    /// Ends what is counted here, because the server stops, and waits until it has ended.
    public func stop() async {
        let running = jobs.withLock { Array($0.values) }
        for job in running { job.stop() }
        for job in running { await job.end() }
    }
}

extension Simulations {
    private func run(_ id: LowercaseUUID, _ job: SimulationJob, _ inquiry: AudienceInquiry) async {
        let watch = Task { await self.watch(id, job) }
        let outcome: Result<KeptAudience, any Error>
        do {
            let kept = try await shares.audiences.run { [database, catalogs, policy, clock, inProgress] in
                try job.check()
                return try await database.read { transaction in
                    try AudienceCounting(inquiry, catalogs: catalogs, policy: policy, clock: clock, transaction).run {
                        try job.note($0, of: $1)
                    } pause: {
                        if inProgress() > 0 { SimulationJob.pause() }
                    }
                }
            }
            outcome = .success(kept)
        } catch {
            outcome = .failure(error)
        }
        watch.cancel()
        await watch.value
        job.noteCounted()
        // A task of its own, because this one may have been cancelled.
        await Task { await finish(id, job, outcome) }.value
        jobs.withLock { $0[id] = nil }
    }

    /// Tells the database how far the job is, and the job whether it was cancelled elsewhere.
    private func watch(_ id: LowercaseUUID, _ job: SimulationJob) async {
        var (looks, told) = (0, 0)
        while (try? await Task.sleep(for: Self.lookout)) != nil {
            looks += 1
            // A database that does not answer now may answer the next time.
            if let isRunning = try? await database.readOnce({ try SimulationStore($0).isRunning(id) }), !isRunning {
                return job.cancel()
            }
            let (done, total) = job.progress
            guard looks % (done > told ? Self.looksPerNote : Self.looksPerSignOfLife) == 0 else { continue }
            told = done
            try? await database.write { [clock] transaction in
                try SimulationStore(transaction).note(
                    id, done: done, of: total, at: try clock.tolerantInstant(transaction))
            }
        }
    }

    private func finish(_ id: LowercaseUUID, _ job: SimulationJob, _ outcome: Result<KeptAudience, any Error>) async {
        let (done, total) = job.progress
        let (state, result, failure): (SimulationState, String?, String?) =
            switch outcome {
            case .success(let kept):
                (.done, (try? WireJSON.encode(kept)).map { String(decoding: $0, as: UTF8.self) }, nil)
            case .failure(is CancellationError):
                job.isStopped
                    ? (.failed, nil, "the server was stopped before everyone was counted") : (.cancelled, nil, nil)
            case .failure(let error): (.failed, nil, Self.words(error))
            }
        for attempt in 0..<3 {
            let written: Void? = try? await database.write { [clock] transaction in
                try SimulationStore(transaction).finish(
                    id, as: state, done: done, of: total, result: result, failure: failure,
                    at: try clock.tolerantInstant(transaction))
            }
            if written != nil || attempt == 2 { return }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// The reason for a caller: names no file of the machine.
    private static func words(_ error: any Error) -> String {
        (error as? StoreError)?.publicDetail ?? "the customers could not be counted"
    }
}
