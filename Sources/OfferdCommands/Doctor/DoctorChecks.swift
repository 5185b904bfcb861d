import CommandLineSupport
import Foundation
import OfferApplication
import OfferDocuments
import OfferHTTP
import OfferModel
import OfferStore
import OpenSSLCrypto
import PostgresStore
import SQLiteStore

/// The checks of `offerd doctor`, each with what it means to the operator.
enum DoctorChecks {
    /// With less room than this, in bytes, it warns.
    private static let littleSpace: Int64 = 256 * 1_024 * 1_024

    /// Whether every key and root of keys.yaml can be used by this user.
    static func keys(_ setup: ServerSetup) -> [DoctorReport.Check] {
        let checks = setup.keys.apps.flatMap { app in
            app.keys.map { entry in
                check("key `\(entry.keyId)`") {
                    _ = try setup.load(entry)
                    return "of `\(app.bundleId)` (\(entry.use.rawValue)) can be read and signs"
                }
            }
        }
        guard checks.allSatisfy({ $0.verdict != .failed }) else { return checks }
        let separate = check("keys") {
            try setup.requireSeparateKeys()
            return "no key is used both for tests and at Apple"
        }
        return separate.verdict == .failed ? checks + [separate] : checks
    }

    private static func check(_ name: String, _ run: () throws -> String) -> DoctorReport.Check {
        do {
            return .ok(name, try run())
        } catch {
            return failure(name, error)
        }
    }

    /// Whether a start takes the configuration as its files are now: a running server keeps what it has read.
    static func start(_ setup: ServerSetup) async -> DoctorReport.Check {
        do {
            try await ServerSetup.withTransport { _ = try setup.apps(asking: $0) }
            return .ok("start", "`serve` would start with the files as they are now")
        } catch {
            return failure("start", error)
        }
    }

    static func certificate(_ setup: ServerSetup) -> [DoctorReport.Check] {
        guard let tls = setup.configuration.tls else { return [] }
        let hint = "renew it; `serve` reads it again by itself"
        do {
            let certificate = try TLSCertificate(tls)
            let end = min(certificate.expiresAt, certificate.authoritiesExpireAt ?? .distantFuture)
            let (left, date) = (end.milliseconds(since: .wallClock), TimeText.absolute(end))
            if left <= 0 { return [.failed("tls", "the certificate expired at \(date)", hint: hint)] }
            let key = tls.keyModeForOthers.map { mode in
                DoctorReport.Check.warning(
                    "tls", "others on this machine may read the key `\(tls.key)` (mode \(mode))",
                    hint: "let only the owner read it, as with `chmod 600`")
            }
            let term: DoctorReport.Check =
                left > 14 * Instant.Duration.day
                ? .ok("tls", "the certificate is valid until \(date)")
                : .warning("tls", "the certificate expires at \(date)", hint: hint)
            return [term] + [key].compactMap(\.self)
        } catch {
            return [failure("tls", error)]
        }
    }

    static func loginProviders(_ setup: ServerSetup) -> [DoctorReport.Check] {
        guard !setup.configuration.customerTokens.isEmpty else { return [] }
        return [
            check("customerTokens") {
                _ = try setup.customerTokenProviders()
                return "login providers are configured; `serve` fetches keys that have a URL"
            }
        ]
    }

    static func audit(_ setup: ServerSetup) -> DoctorReport.Check {
        do {
            guard let keys = try setup.auditKeys() else {
                return .warning(
                    "audit", "keys.yaml has no `audit`: checkpoints are not signed, and erasure is refused",
                    hint: "docs/ledger.md, \"Keys\", explains how to create the two keys")
            }
            return .ok("audit", "both keys can be read; digests are taken with `\(keys.digestKey.name)`")
        } catch {
            return failure("audit", error)
        }
    }

    /// Whether the witness can be used, or be created at the first start.
    private static func witness(_ setup: ServerSetup, _ database: any DatabaseDriver) async throws -> DoctorReport
        .Check?
    {
        guard let witness = (try? setup.auditKeys())?.witness else { return nil }
        guard FileManager.default.fileExists(atPath: witness.path) else {
            guard try await database.read({ try CheckpointStore($0).newest() }) == nil else {
                return failure("witness", witness.missing)
            }
            let folder = URL(filePath: witness.path).deletingLastPathComponent().path
            guard access(folder, W_OK | X_OK) == 0 else {
                return .failed(
                    "witness", "the witness `\(witness.path)` cannot be created by this user",
                    hint: "check the directory `\(folder)` and its permissions")
            }
            return .ok("witness", "`\(witness.path)` does not exist yet: the first start of the server creates it")
        }
        guard access(witness.path, R_OK | W_OK) == 0, (try? witness.size()) != nil else {
            return .failed(
                "witness", "the witness `\(witness.path)` cannot be read and written by this user",
                hint: "check that it is a file, and check its disk and its permissions")
        }
        guard let judge = try? setup.auditKeys()?.keys.isSigned else { return nil }
        let end = try witness.size()
        let difference = try await database.read { transaction in
            try WitnessCheck(transaction, judge: judge).run { try witness.records(through: end, tail: true, $0) }
                .difference
        }
        if let difference { return failure("witness", LedgerOutcome.failure(difference.broken)) }
        return .ok("witness", "`\(witness.path)` can be read and written, and the database is not older")
    }

    /// Whether the digest key of the configuration recognises the customers who were erased.
    private static func erased(_ setup: ServerSetup, _ database: any DatabaseDriver) async throws -> DoctorReport.Check?
    {
        let keys = try await database.read { try ErasureStore($0).digestKeys() }
        guard let foreign = keys.subtracting([try? setup.auditKeys()?.digestKey.name].compactMap(\.self)).sorted().first
        else { return nil }
        return .failed(
            "erasures", "customers were erased under the digest key `\(foreign)`, which keys.yaml does not name",
            hint: "put that key back as `digestKey`: without it nothing can be recorded for new customers")
    }

    /// The file or the server itself; it may be in use.
    static func database(_ address: DatabaseAddress) -> [DoctorReport.Check] {
        switch address {
        case .file(let path): file(path)
        case .server(let url): server(url)
        }
    }

    private static func server(_ url: String) -> [DoctorReport.Check] {
        do {
            return try PostgresDatabase.examine(url: url).map { finding in
                switch finding.verdict {
                case .ok: .ok(finding.subject, finding.detail)
                case .warning: .warning(finding.subject, finding.detail, hint: finding.hint)
                case .failed: .failed(finding.subject, finding.detail, hint: finding.hint)
                }
            }
        } catch {
            return [failure("server", error)]
        }
    }

    private static func file(_ path: String) -> [DoctorReport.Check] {
        let checks = SQLiteDatabase.examine(path: path).map { check in
            check.failure.map { DoctorReport.Check.failed(check.subject.rawValue, $0.detail, hint: $0.hint) }
                ?? .ok(check.subject.rawValue, check.detail)
        }
        guard FileManager.default.fileExists(atPath: path) else { return checks }
        return checks + beside(path)
    }

    private static func beside(_ path: String) -> [DoctorReport.Check] {
        [sqlite(SQLiteVersion.current), permissions(path), space(path)] + room(path)
    }

    /// What is not well with a file that is in use, as far as it is known without reading it.
    static func warnings(ofFile path: String) -> [ServerState.Fault] {
        beside(path).filter { $0.verdict != .ok }.map { ServerState.Fault("\($0.name): \($0.detail)", hint: $0.hint) }
    }

    static func sqlite(_ version: Int32) -> DoctorReport.Check {
        let text = SQLiteVersion.text(version)
        guard SQLiteVersion.hasResetFault(version) else { return .ok("sqlite", "version \(text)") }
        return .warning(
            "sqlite", "version \(text) can lose commits where several processes write the log back at once",
            hint: SQLiteVersion.faultHint)
    }

    private static func permissions(_ path: String) -> DoctorReport.Check {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0
        guard mode & 0o077 == 0 else {
            return .warning(
                "permissions", "others on this machine may use the database file (mode \(String(mode, radix: 8)))",
                hint: "`chmod 600` the file and its `-wal` and `-shm`")
        }
        return .ok("permissions", "only its owner may use the database file")
    }

    private static func space(_ path: String) -> DoctorReport.Check {
        guard let free = DiskReserve.freeSpace(beside: path) else {
            return .warning("disk", "the system does not say how much room is left")
        }
        let detail = "\(ServerState.size(free)) free"
        if free < Readiness.leastFreeSpace {
            return .failed("disk", detail, hint: "free space; nothing can be recorded, so nothing is issued")
        }
        return free < littleSpace
            ? .warning("disk", detail, hint: "free space before nothing can be recorded") : .ok("disk", detail)
    }

    /// Only what is unusual: a server keeps the room from its first start on.
    private static func room(_ path: String) -> [DoctorReport.Check] {
        guard let kept = DiskReserve.kept(beside: path), kept < DiskReserve.size else { return [] }
        return [
            .warning(
                "reserve",
                "\(ServerState.size(kept)) of \(ServerState.size(DiskReserve.size)) are kept for pauses on a full disk",
                hint: "free space; `serve` then keeps all of it again")
        ]
    }

    /// The checks that need the database open: durable writes, the clock and pauses.
    static func content(_ setup: ServerSetup) async -> [DoctorReport.Check] {
        let database: any DatabaseDriver
        do {
            database = try setup.database.open()
        } catch {
            return [failure("opening", error)]
        }
        defer { try? database.close() }
        var checks: [DoctorReport.Check] = []
        if setup.database.path != nil {
            checks.append(.ok("durability", "every commit is flushed (synchronous FULL, write-ahead log)"))
        }
        do {
            try await database.write { try StoreClock($0).tryWriting(at: .wallClock) }
            checks.append(.ok("writing", "a commit went through"))
        } catch {
            checks.append(failure("writing", error))
        }
        do {
            try await database.read { try StoredNumberCheck($0).run() }
            let marks = try await database.read { try StoreClock($0).marks() }
            checks.append(clock(marks))
            checks += try await pauses(setup, database)
            checks += try await NotificationChecks.arrival(setup, database)
            checks += try await WebhookChecks.delivery(setup, database)
            if let erased = try await erased(setup, database) { checks.append(erased) }
            if let witness = try await witness(setup, database) { checks.append(witness) }
            checks.append(try await facts(database))
        } catch {
            checks.append(failure("reading", error))
        }
        return checks
    }

    private static func clock(_ marks: ClockMarks) -> DoctorReport.Check {
        let now = Instant.wallClock
        let clock = "it is \(TimeText.absolute(now))"
        let last =
            marks.lastInstant.map(TimeText.absolute)
            .map { "the last recorded moment is \($0)" } ?? "nothing was recorded yet"
        guard let lag = ClockLag(of: now, behind: marks) else { return .ok("clock", "\(clock); \(last)") }
        return .failed("clock", "\(lag.detail): \(clock); \(last)", hint: lag.hint)
    }

    private static func pauses(_ setup: ServerSetup, _ database: any DatabaseDriver) async throws -> [DoctorReport
        .Check]
    {
        let paused = try await database.read { transaction in
            try setup.keys.scopes.flatMap { scope -> [String] in
                guard let number = try ScopeStore(transaction).number(of: scope) else { return [] }
                return try PauseStore(transaction).active(in: number).compactMap { pause in
                    guard pause.isInForce(at: .wallClock) else { return nil }
                    let until = pause.endsAt.map { " until \(TimeText.absolute($0))" } ?? ""
                    guard pause.isOfKillSwitch else {
                        return "offers with a limit in \(scope)\(until), after a restore"
                    }
                    return (pause.offerId.map { "`\($0)`" } ?? "every offer") + " in \(scope)\(until)"
                }
            }
        }
        guard !paused.isEmpty else { return [.ok("pauses", "no offer is paused")] }
        return [
            .warning(
                "pauses", "paused: \(paused.joined(separator: ", "))",
                hint: "`offerctl offers resume` ends a pause; after a restore, `offerd limits resume` does")
        ]
    }

    private static func facts(_ database: any DatabaseDriver) async throws -> DoctorReport.Check {
        let counts = try await HistoryFactsCheck(database).run()
        guard counts.unreadable.isEmpty else { return failure("facts", StoreError.corrupt(unreadable(counts))) }
        guard counts.wrong > 0 else { return .ok("facts", "\(counts.rows) facts rows match their history") }
        return .failed(
            "facts",
            """
            \(counts.wrong) facts rows do not match their history: \(counts.changed) changed, \(counts.missing) missing, \
            \(counts.superfluous) without a history
            """, hint: StoreError.corruptFacts("").hint)
    }

    static func unreadable(_ counts: HistoryFactsCheck.Counts) -> String {
        "the history of \(counts.unreadable.joined(separator: ", ")) cannot be read"
    }

    static func failure(_ name: String, _ error: any Error) -> DoctorReport.Check {
        let failure = CommandFailure.words(error)
        return .failed(name, failure?.message ?? "\(error)", hint: failure?.hints.first)
    }
}

extension ClockLag {
    var hint: String {
        switch mark {
        case .lastInstant:
            "set the clock right; if it once ran ahead and is right now, `offerd doctor --reset-clock`"
        case .signedDate: "set the clock right: the App Store has signed data that is later"
        }
    }
}

/// Whether App Store Server Notifications arrive, for each app and environment of keys.yaml.
enum NotificationChecks {
    static func arrival(_ setup: ServerSetup, _ database: any DatabaseDriver) async throws -> [DoctorReport.Check] {
        try await database.read { transaction in
            try setup.keys.scopes.map { scope in
                let found = try NotificationArrival(of: scope, transaction)
                guard let newest = found.newest else { return nothing(scope) }
                let detail =
                    "the newest of `\(scope)` is `\(newest.type.rawValue)`, \(arrival(newest)); "
                    + (found.newestTest.map { "the newest `TEST` \(arrival($0))" } ?? "a `TEST` has not come yet")
                guard let delivered = found.newestDelivered else {
                    return .warning(
                        name, detail + "; Apple has never reached this server",
                        hint: "check the URL in App Store Connect and the proxy (docs/notifications.md)")
                }
                let last = TimeText.absolute(delivered.receivedAt)
                return .ok(name, detail + "; Apple last reached this server at \(last)")
            }
        }
    }

    private static let name = "notifications"

    private static func arrival(_ notification: NotificationArrival.Arrived) -> String {
        "\(notification.source.rawValue) at \(TimeText.absolute(notification.receivedAt))"
    }

    /// A local App Store need not send any.
    private static func nothing(_ scope: Scope) -> DoctorReport.Check {
        switch scope.environment {
        case .localTesting, .xcode:
            .ok(name, "none received yet for `\(scope)`")
        case .production, .sandbox:
            .warning(
                name, "none received yet for `\(scope)`",
                hint: "give App Store Connect the URL, then ask Apple for a test notification (docs/notifications.md)")
        }
    }
}

enum WebhookChecks {
    static func delivery(_ setup: ServerSetup, _ database: any DatabaseDriver) async throws -> [DoctorReport.Check] {
        var checks: [DoctorReport.Check] = []
        do { _ = try setup.webhooks() } catch { checks.append(DoctorChecks.failure("webhooks", error)) }
        // Where they are is known without their secrets.
        guard let webhooks = try? setup.webhooks(environment: nil) else { return checks }
        let standings = try await database.read { transaction in
            try webhooks.map { try WebhookStanding(of: $0, transaction) }
        }
        return checks + standings.map { check("webhook `\($0.name)`", $0) }
    }

    private static func check(_ name: String, _ state: WebhookStanding) -> DoctorReport.Check {
        guard state.hasBegun else { return .ok(name, "gets events from the next start of `serve`") }
        let last =
            state.succeededAt.map { "last took an event at \(TimeText.absolute($0))" } ?? "has taken no event yet"
        if let since = state.failingSince {
            return .warning(
                name, "takes no events since \(TimeText.absolute(since)); it \(last)",
                hint: "the log of `serve` has the reason; its events wait for three days")
        }
        guard state.waiting == 0 else {
            let events = state.waiting.counted("event") + (state.waiting == 1 ? " waits" : " wait")
            return .warning(
                name, "\(last); \(events) to be sent again",
                hint: "the receiver refuses single events: its log should say why")
        }
        return .ok(name, last)
    }
}
