import CommandLineSupport
import Foundation
import OfferApplication
import OfferModel
import OfferSigning
import OfferStore
import OpenSSLCrypto

/// The metrics that are looked up at each scrape of `/metrics`.
struct ServerSamples: Sendable {
    let useCases: UseCases
    let registry: AppRegistry
    let database: any DatabaseDriver
    /// Absent on a server.
    let databasePath: String?
    let log: LogLines

    func all() async -> [MetricSample] {
        let isReady = (try? await useCases.readiness.check()) != nil
        var samples = ProcessSamples.all()
        samples.append(MetricSample("offerd_build_info", 1, [("version", ProgramVersion.number)]))
        samples.append(MetricSample("offerd_ready", isReady ? 1 : 0))
        samples.append(MetricSample("offerd_writes_waiting", Double(database.waitingWrites)))
        if let milliseconds = try? await useCases.readiness.clockBehind() {
            samples.append(MetricSample("offerd_clock_behind_seconds", Double(milliseconds) / 1_000))
        }
        if let databasePath { samples += Self.samples(ofFile: databasePath) }
        if let traffic = database.traffic { samples += Self.samples(of: traffic) }
        samples.append(MetricSample("offerd_log_lines_dropped_total", Double(log.dropped)))
        for app in registry.all { samples += self.samples(of: app) }
        return samples
    }

    private static func samples(ofFile path: String) -> [MetricSample] {
        let sizes = [("size", path), ("wal_size", path + "-wal")].map { name, path in
            var file = stat()
            let size = stat(path, &file) == 0 ? Double(file.st_size) : 0
            return MetricSample("offerd_database_\(name)_bytes", size)
        }
        let free = Disk.freeSpace(beside: path).map { MetricSample("offerd_disk_free_bytes", Double($0)) }
        return sizes + [free].compactMap(\.self)
    }

    private static func samples(of traffic: DatabaseTraffic) -> [MetricSample] {
        traffic.roundTrips.sorted { $0.key < $1.key }.map { kind, count in
            MetricSample("offerd_database_round_trips_total", Double(count), [("for", kind)])
        } + [
            MetricSample("offerd_database_lock_wait_seconds_total", traffic.lockWait / .seconds(1)),
            MetricSample("offerd_elected", traffic.isElected ? 1 : 0),
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
