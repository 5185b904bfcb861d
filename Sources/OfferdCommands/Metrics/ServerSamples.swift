import CommandLineSupport
import Foundation
import OfferApplication
import OfferHTTP
import OfferModel
import OfferSigning
import OfferStore
import OpenSSLCrypto
import SQLiteStore
import Synchronization

/// What the work beside the requests has noted of itself, for a ``ServerState``.
final class ServerNotes: Sendable {
    private struct State {
        var lastReload: ServerState.Reload?
        var witnessWorks: Bool?
        var disk = DiskTrend()
    }

    private let state = Mutex(State())

    var lastReload: ServerState.Reload? { state.withLock { $0.lastReload } }

    /// Whether the witness has every checkpoint; absent until that is known.
    var witnessWorks: Bool? { state.withLock { $0.witnessWorks } }

    func reloaded(_ failure: ServerState.Fault?, at now: Instant) {
        state.withLock { $0.lastReload = ServerState.Reload(at: now, failure: failure) }
    }

    func told(witness works: Bool) { state.withLock { $0.witnessWorks = works } }

    func told(freeSpace: Int64, at now: Instant) { state.withLock { $0.disk.note(freeSpace, at: now) } }

    func diskEnd(_ freeSpace: Int64, at now: Instant) -> Instant? {
        state.withLock { $0.disk.end(of: freeSpace, at: now) }
    }
}

/// The one place where the state of this server is looked up: for `/metrics` and for the console.
struct ServerLook: Sendable {
    let states: ServerStates
    let database: any DatabaseDriver
    /// Absent on a server.
    let databasePath: String?
    let notes: ServerNotes
    let certificate: TLSCertificate?
    let retention: RetentionTerms

    func state() async -> ServerState {
        await states.read { state in
            state.lastReload = notes.lastReload
            state.isElected = database.hasRole
            // Where another server is elected, that one writes to the witness.
            if database.traffic == nil || state.isElected { state.witnessWorks = notes.witnessWorks }
            state.hasFile = databasePath != nil
            state.warnings = databasePath.map(DoctorChecks.warnings(ofFile:)) ?? []
            state.freeSpace = databasePath.flatMap(DiskReserve.freeSpace(beside:))
            state.diskFullAt = state.freeSpace.flatMap { notes.diskEnd($0, at: .wallClock) }
            state.certificateExpiresAt = certificate?.expiresAt
            state.authoritiesExpireAt = certificate?.authoritiesExpireAt
            state.retention = retention
        }
    }
}

/// The metrics that are looked up at each scrape of `/metrics`.
struct ServerSamples: Sendable {
    let look: ServerLook
    let registry: AppRegistry
    let log: LogLines

    func all() async -> [MetricSample] {
        let (state, database) = (await look.state(), look.database)
        var samples = ProcessSamples.all()
        samples.append(MetricSample("offerd_build_info", 1, [("version", ProgramVersion.number)]))
        samples.append(MetricSample("offerd_ready", state.notReady == nil ? 1 : 0))
        samples.append(MetricSample("offerd_writes_waiting", Double(database.waitingWrites)))
        samples.append(MetricSample("offerd_elected", state.isElected ? 1 : 0))
        if let clock = state.clock {
            samples.append(MetricSample("offerd_clock_behind_seconds", Double(clock.behind) / 1_000))
        }
        if let path = look.databasePath { samples += Self.samples(ofFile: path) }
        if let free = state.freeSpace { samples.append(MetricSample("offerd_disk_free_bytes", Double(free))) }
        if let traffic = database.traffic { samples += Self.samples(of: traffic) }
        samples.append(MetricSample("offerd_log_lines_dropped_total", Double(log.dropped)))
        samples.append(MetricSample("offerd_clock_timestamp_seconds", state.now.metric))
        samples.append(MetricSample("offerd_reload_succeeded", state.lastReload?.failure == nil ? 1 : 0))
        if let works = state.witnessWorks { samples.append(MetricSample("offerd_witness_works", works ? 1 : 0)) }
        for (use, end) in [("tls", state.certificateExpiresAt), ("clientCertificates", state.authoritiesExpireAt)] {
            guard let end else { continue }
            samples.append(MetricSample("offerd_certificate_expires_timestamp_seconds", end.metric, [("use", use)]))
        }
        if let overview = state.overview { samples += Self.samples(of: overview, hasFile: state.hasFile) }
        if state.hasFile { samples.append(MetricSample("offerd_database_moved", state.isMoved ? 1 : 0)) }
        for app in registry.all { samples += Self.samples(of: app) }
        for key in state.signingKeys {
            let labels = Self.labels(key.scope, ("key", key.id.rawValue))
            samples.append(MetricSample("offerd_signing_key_works", key.works ? 1 : 0, labels))
        }
        return samples
    }

    private static func labels(_ scope: Scope, _ more: (String, String)...) -> [(String, String)] {
        [("app", scope.bundleId.rawValue), ("environment", scope.environment.rawValue)] + more
    }

    /// - Parameter hasFile: whether `offerd backup` applies.
    private static func samples(of overview: ServiceOverview, hasFile: Bool) -> [MetricSample] {
        let (backup, proof) = (overview.backedUpAt, overview.provenAt)
        // Apart, because a pause that ends by itself is not forgotten, however long it is.
        return overview.pauses.map { pause in
            MetricSample(
                "offerd_paused_\(pause.until == nil ? "since" : "until")_timestamp_seconds",
                (pause.until ?? pause.since).metric, labels(pause.scope, ("offer", pause.offer?.rawValue ?? "*")))
        }
            + overview.uses.map { use in
                MetricSample(
                    "offerd_limit_used_ratio", use.share,
                    labels(use.scope, ("offer", use.offer.rawValue), ("limit", use.limit)))
            }
            + overview.keyEnds.map { end in
                MetricSample(
                    "offerd_api_key_expires_timestamp_seconds", end.at.metric,
                    labels(end.scope, ("role", end.role.rawValue)))
            } + (hasFile ? [MetricSample("offerd_backup_last_success_timestamp_seconds", backup?.metric ?? 0)] : [])
            + [MetricSample("offerd_ledger_proof_last_success_timestamp_seconds", proof?.metric ?? 0)]
    }

    private static func samples(ofFile path: String) -> [MetricSample] {
        [("size", path), ("wal_size", path + "-wal")].map { name, path in
            var file = stat()
            let size = stat(path, &file) == 0 ? Double(file.st_size) : 0
            return MetricSample("offerd_database_\(name)_bytes", size)
        }
    }

    private static func samples(of traffic: DatabaseTraffic) -> [MetricSample] {
        traffic.roundTrips.sorted { $0.key < $1.key }.map { kind, count in
            MetricSample("offerd_database_round_trips_total", Double(count), [("for", kind)])
        } + [
            MetricSample("offerd_database_lock_wait_seconds_total", traffic.lockWait / .seconds(1))
        ]
    }

    private static func samples(of app: RegisteredApp) -> [MetricSample] {
        guard let verifier = app.verifier as? AppStoreChainVerifier else { return [] }
        let (remembered, verified) = verifier.lookups
        return [("hit", remembered), ("miss", verified)].map { result, count in
            let labels = [("app", app.bundleId.rawValue), ("result", result)]
            return MetricSample("offerd_chain_cache_lookups_total", Double(count), labels)
        }
    }
}

extension Instant {
    /// Seconds since 1970, as Prometheus counts time.
    fileprivate var metric: Double { Double(milliseconds) / 1_000 }
}

/// Linux's numbers about this process, named as Prometheus' own clients name them; none on other systems.
enum ProcessSamples {
    static func all() -> [MetricSample] {
        var samples: [MetricSample] = []
        let status = text("/proc/self/stat")
        // The name of the program is in parentheses and may have spaces; the numbers that follow are counted from 3.
        let fields = status[(status.lastIndex(of: ")") ?? status.startIndex)...].split(separator: " ").map(Double.init)
        func field(_ number: Int) -> Double? { fields.indices.contains(number - 2) ? fields[number - 2] : nil }
        func add(_ name: String, _ value: Double?) {
            if let value { samples.append(MetricSample("process_\(name)", value)) }
        }
        let ticks = Double(sysconf(Int32(clamping: _SC_CLK_TCK)))
        let page = Double(sysconf(Int32(clamping: _SC_PAGESIZE)))
        if let user = field(14), let system = field(15) { add("cpu_seconds_total", (user + system) / ticks) }
        add("virtual_memory_bytes", field(23))
        add("resident_memory_bytes", field(24).map { $0 * page })
        if let sinceBoot = field(22), let boot { add("start_time_seconds", boot + sinceBoot / ticks) }
        // The look itself has the folder open.
        add(
            "open_fds",
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { Double($0.count - 1) })
        add("max_fds", OpenFiles.limit().map(Double.init))
        return samples
    }

    /// When the machine started, in seconds since 1970.
    private static let boot: Double? = {
        let line = text("/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }
        return line.flatMap { Double($0.dropFirst("btime ".count)) }
    }()

    private static func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}
