import OfferModel

/// Commits the bodies of one batch.
struct WriteBatch {
    /// Failures of a commit that are no body's.
    private struct FailedCommit: Error {
        let error: StoreError
    }

    /// What the bodies so far concern; absent once one may concern anything.
    private struct Concerned {
        private var known: Set<Concern>? = []

        /// Whether a body concerns nothing that they do.
        mutating func isApart(_ body: ExpectedBody) -> Bool {
            guard let concerns = body.concerns, let before = known else {
                known = nil
                return false
            }
            known?.formUnion(concerns)
            return before.isDisjoint(with: concerns)
        }
    }

    let connection: any WriterConnection
    let check: @Sendable () throws -> Void
    let patience: Duration
    private let memory = TransactionCache()

    /// Runs the bodies, commits, and only then answers their callers, those of bodies that failed too: what they saw
    /// may have been a neighbour's, which must not be reported unless it is kept.
    ///
    /// - Parameters:
    ///   - waits: whether it waits for another process that writes.
    ///   - joining: takes the bodies that have arrived since, for a batch that has `count` already; called only if it waits.
    /// - Returns: how many bodies there were; `nil` if it does not wait and another process writes: then nothing was
    ///   done.
    func commit(_ first: [WriteQueue.Job], waits: Bool, joining: (_ count: Int) -> [WriteQueue.Job]) -> Int? {
        var jobs = first
        connection.memory = memory
        defer { connection.memory = nil }
        let deadline = ContinuousClock.now + patience
        do {
            try check()
            do {
                try begin(until: waits ? deadline : .now, expecting: jobs.map(\.expected)) {
                    let joined = waits ? joining(jobs.count) : []
                    jobs += joined
                    return joined.map(\.expected)
                }
            } catch StoreError.busy where !waits {
                return nil
            }
            // The time of the bodies does not count: the rest is for waiting.
            let left = ContinuousClock.now.duration(to: deadline)
            var answers = try runTogether(jobs, patience: left)
            if answers == nil {
                answers = runIsolated(jobs)
                guard answers != nil else { return jobs.count }
                try memory.write(to: connection)
                try connection.commit()
            }
            // What was committed counts only if it is where the next process looks for it.
            try check()
            for answer in answers ?? [] { answer() }
        } catch {
            undo()
            for job in jobs { job.fail(error) }
        }
        return jobs.count
    }

    /// Runs the bodies with nothing between them, and commits: nearly always all of them go well, and a savepoint costs
    /// SQLite a copy of each page that its body changes, and PostgreSQL round trips.
    ///
    /// - Returns: `nil` if one failed, or there is only one, which has no savepoint anyway; then nothing was done.
    /// - Throws: a failure of the database, or what keeps the transaction from being begun again.
    private func runTogether(_ jobs: [WriteQueue.Job], patience: Duration) throws -> [WriteQueue.Release]? {
        guard jobs.count > 1 else { return nil }
        let mark = memory.mark
        var concerned = Concerned()
        do {
            let answers = try jobs.enumerated().map { number, job in
                try connection.begin(job.expected, knowing: concerned.isApart(job.expected) ? number : nil)
                let answer = try job.run(connection)
                // On a full disk SQLite undoes everything by itself, and the next body would write outside of a
                // transaction.
                guard connection.isInTransaction else { throw StoreError.unavailable("the transaction was undone") }
                return answer
            }
            try memory.write(to: connection)
            do {
                try connection.commit()
            } catch let error as StoreError where !connection.isOfStatement(error) {
                throw FailedCommit(error: error)
            }
            return answers
        } catch let failed as FailedCommit {
            throw failed.error
        } catch {
            // A body that failed fails again, and its caller is told then. A driver that runs statements late may find
            // the failure at the commit.
            memory.rollback(to: mark)
            undo()
            try begin(until: .now + patience, expecting: []) { [] }
            return nil
        }
    }

    /// Runs the bodies so that each can be undone alone: in a savepoint, or with the transaction if there is only one.
    ///
    /// - Returns: `nil` if one failed that could not be undone alone; then every caller has been told.
    private func runIsolated(_ jobs: [WriteQueue.Job]) -> [WriteQueue.Release]? {
        let isShared = jobs.count > 1
        var answers = [WriteQueue.Release]()
        for (index, job) in jobs.enumerated() {
            let mark = memory.mark
            do {
                if isShared {
                    answers.append(try inSavepoint(job))
                } else {
                    try connection.begin(job.expected, knowing: index)
                    answers.append(try job.run(connection))
                }
            } catch {
                memory.rollback(to: mark)
                guard isShared, undoJob() else {
                    undo()
                    job.fail(error)
                    for lost in jobs[..<index] + jobs[(index + 1)...] { lost.fail(Self.shared(error)) }
                    return nil
                }
                answers.append { job.fail(error) }
            }
        }
        return answers
    }

    private func begin(
        until deadline: ContinuousClock.Instant, expecting bodies: [ExpectedBody], joining: () -> [ExpectedBody]
    ) throws {
        // The batch before could not undo its failed transaction, and nothing of that may be committed.
        if connection.isInTransaction { try connection.rollback() }
        try connection.beginWriting(until: deadline, expecting: bodies, joining: joining)
    }

    private func inSavepoint(_ job: WriteQueue.Job) throws -> WriteQueue.Release {
        // At once: it has to be there for whatever fails next, a question of the body's included.
        _ = try connection.changes(by: Statement("SAVEPOINT job"))
        try connection.begin(job.expected, knowing: nil)
        let release = try job.run(connection)
        _ = try connection.changes(by: Statement("RELEASE SAVEPOINT job"))
        return release
    }

    /// Undoes a failed body and nothing else.
    ///
    /// - Returns: whether that was possible; if not, nothing of the transaction may be committed. On a full disk or a
    ///   broken file SQLite has undone all of it already.
    private func undoJob() -> Bool {
        guard connection.isInTransaction else { return false }
        connection.dropDeferred()
        do {
            _ = try connection.changes(by: Statement("ROLLBACK TO SAVEPOINT job"))
            _ = try connection.changes(by: Statement("RELEASE SAVEPOINT job"))
            return true
        } catch {
            return false
        }
    }

    /// The error for the other bodies of a lost transaction: a failure of the database is theirs too, any other is not.
    private static func shared(_ error: any Error) -> StoreError {
        switch error as? StoreError {
        case .constraint, nil:
            .unavailable("a write of the same commit failed and could not be undone alone, so nothing of it was kept")
        case .some(let failure): failure
        }
    }

    /// Undoes the whole transaction, which a failed commit can leave open.
    ///
    /// If even this fails the transaction stays open, which the connection allows; the next batch begins by undoing it
    /// and is refused while that fails. Every caller has an error already.
    private func undo() {
        guard connection.isInTransaction else { return }
        try? connection.rollback()
    }
}
