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

/// What the work beside the requests has noted of itself, for `/metrics`.
final class ServerNotes: Sendable {
    private struct State {
        var isConfigurationCurrent = true
        var witnessWorks: Bool?
    }

    private let state = Mutex(State())

    /// Whether the configuration of the files is in force, as far as its last reading tells.
    var isConfigurationCurrent: Bool { state.withLock { $0.isConfigurationCurrent } }

    /// Whether the witness has every checkpoint; absent until that is known.
    var witnessWorks: Bool? { state.withLock { $0.witnessWorks } }

    func reloaded(_ isApplied: Bool) { state.withLock { $0.isConfigurationCurrent = isApplied } }

    func told(witness works: Bool) { state.withLock { $0.witnessWorks = works } }
}

/// The metrics that are looked up at each scrape of `/metrics`.
struct ServerSamples: Sendable {
    let useCases: UseCases
    let registry: AppRegistry
    let database: any DatabaseDriver
    /// Absent on a server.
    let databasePath: String?
    let log: LogLines
    let notes: ServerNotes
    let certificate: TLSCertificate?
    let clock: @Sendable () -> Instant

    func all() async -> [MetricSample] {
        let isReady = (try? await useCases.readiness.check()) != nil
        var samples = ProcessSamples.all()
        samples.append(MetricSample("offerd_build_info", 1, [("version", ProgramVersion.number)]))
        samples.append(MetricSample("offerd_ready", isReady ? 1 : 0))
        samples.append(MetricSample("offerd_writes_waiting", Double(database.waitingWrites)))
        samples.append(MetricSample("offerd_elected", database.hasRole ? 1 : 0))
        if let milliseconds = try? await useCases.readiness.clockBehind() {
            samples.append(MetricSample("offerd_clock_behind_seconds", Double(milliseconds) / 1_000))
        }
        if let databasePath { samples += Self.samples(ofFile: databasePath) }
        if let traffic = database.traffic { samples += Self.samples(of: traffic) }
        samples.append(MetricSample("offerd_log_lines_dropped_total", Double(log.dropped)))
        samples.append(MetricSample("offerd_clock_timestamp_seconds", clock().metric))
        samples.append(MetricSample("offerd_reload_succeeded", notes.isConfigurationCurrent ? 1 : 0))
        // Where another server is elected, that one writes to the witness.
        if let works = notes.witnessWorks, database.traffic == nil || database.hasRole {
            samples.append(MetricSample("offerd_witness_works", works ? 1 : 0))
        }
        for (use, end) in [("tls", certificate?.expiresAt), ("clientCertificates", certificate?.authoritiesExpireAt)] {
            guard let end else { continue }
            samples.append(MetricSample("offerd_certificate_expires_timestamp_seconds", end.metric, [("use", use)]))
        }
        samples += await overview()
        for app in registry.all { samples += self.samples(of: app) }
        return samples
    }

    /// What the database tells; only whether its file was moved, where it cannot be read.
    private func overview() async -> [MetricSample] {
        var samples: [MetricSample] = []
        var isMoved = false
        do {
            samples = Self.samples(of: try await useCases.overviews.read(), hasFile: databasePath != nil)
        } catch StoreError.moved {
            isMoved = true
        } catch {
            // `offerd_ready` says so.
        }
        if databasePath != nil { samples.append(MetricSample("offerd_database_moved", isMoved ? 1 : 0)) }
        return samples
    }

    /// - Parameter hasFile: whether `offerd backup` applies.
    private static func samples(of overview: ServiceOverview, hasFile: Bool) -> [MetricSample] {
        func labels(_ scope: Scope, _ more: (String, String)...) -> [(String, String)] {
            [("app", scope.bundleId.rawValue), ("environment", scope.environment.rawValue)] + more
        }
        let (backup, proof) = (overview.maintenance.backedUpAt, overview.maintenance.provenAt)
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
        let sizes = [("size", path), ("wal_size", path + "-wal")].map { name, path in
            var file = stat()
            let size = stat(path, &file) == 0 ? Double(file.st_size) : 0
            return MetricSample("offerd_database_\(name)_bytes", size)
        }
        let free = DiskReserve.freeSpace(beside: path).map { MetricSample("offerd_disk_free_bytes", Double($0)) }
        return sizes + [free].compactMap(\.self)
    }

    private static func samples(of traffic: DatabaseTraffic) -> [MetricSample] {
        traffic.roundTrips.sorted { $0.key < $1.key }.map { kind, count in
            MetricSample("offerd_database_round_trips_total", Double(count), [("for", kind)])
        } + [
            MetricSample("offerd_database_lock_wait_seconds_total", traffic.lockWait / .seconds(1))
        ]
    }

    private func samples(of app: RegisteredApp) -> [MetricSample] {
        var samples: [MetricSample] = []
        let name = ("app", app.bundleId.rawValue)
        if let verifier = app.verifier as? AppStoreChainVerifier {
            let (remembered, verified) = verifier.lookups
            for (result, count) in [("hit", remembered), ("miss", verified)] {
                samples.append(
                    MetricSample("offerd_chain_cache_lookups_total", Double(count), [name, ("result", result)]))
            }
        }
        for (environment, key) in app.signingKeys.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard let key = key as? OpenSSLSigningKey else { continue }
            let labels = [name, ("environment", environment.rawValue), ("key", key.keyId.rawValue)]
            // As of the latest self-test: a token would have to sign for every scrape.
            let works = registry.worked(Scope(bundleId: app.bundleId, environment: environment))
            samples.append(MetricSample("offerd_signing_key_works", works ? 1 : 0, labels))
        }
        return samples
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
