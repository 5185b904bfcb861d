import GRDB
import OfferStore

/// One durable transaction of several bodies.
struct WriteBatch {
    let connection: Database
    /// How long to wait for another process to let go of the database.
    let patience: Duration

    /// Runs the bodies, commits, and only then answers their callers.
    func commit(_ jobs: [WriteQueue.Job]) {
        var releases = [WriteQueue.Release]()
        var kept = [WriteQueue.Job]()
        do {
            try begin()
        } catch {
            for job in jobs { job.fail(error) }
            return
        }
        for (index, job) in jobs.enumerated() {
            do {
                releases.append(try inSavepoint(job))
                kept.append(job)
            } catch {
                job.fail(error)
                // SQLite undoes the whole transaction on a full disk or a broken file: then nobody's work is left.
                if !connection.isInsideTransaction {
                    for lost in kept + jobs[(index + 1)...] { lost.fail(error) }
                    return
                }
            }
        }
        do {
            try StoreError.mapping { try connection.commit() }
        } catch {
            undo()
            for job in kept { job.fail(error) }
            return
        }
        for release in releases { release() }
    }

    /// SQLite's own waiting grows to 100 ms between two looks, and a busy process would nearly always be missed; a
    /// short wait begun anew looks more often.
    private func begin() throws {
        let deadline = ContinuousClock.now + patience
        while true {
            do {
                return try StoreError.mapping { try connection.beginTransaction(.immediate) }
            } catch StoreError.busy(let detail) {
                if ContinuousClock.now >= deadline { throw StoreError.busy(detail) }
            }
        }
    }

    private func inSavepoint(_ job: WriteQueue.Job) throws -> WriteQueue.Release {
        try StoreError.mapping { try run("SAVEPOINT job") }
        do {
            let release = try job.run(SQLiteTransaction(connection: connection))
            try StoreError.mapping { try run("RELEASE SAVEPOINT job") }
            return release
        } catch {
            if connection.isInsideTransaction {
                try StoreError.mapping {
                    try run("ROLLBACK TO SAVEPOINT job")
                    try run("RELEASE SAVEPOINT job")
                }
            }
            throw error
        }
    }

    private func run(_ sql: String) throws {
        try connection.cachedStatement(sql: sql).execute()
    }

    /// A failed commit can leave the transaction open.
    private func undo() {
        guard connection.isInsideTransaction else { return }
        // If even this fails, SQLite undoes it when the connection closes; every caller has an error already.
        try? connection.rollback()
    }
}
