import AppStoreServer
import CommandLineSupport
import Foundation
import Logging
import OfferApplication
import OfferDocuments
import OfferHTTP
import OfferModel
import ServiceLifecycle
import UnixSignals

/// Applies changes of the configuration to a running server: keys, apps, rate limits and the TLS certificate.
///
/// Requests in progress finish with what they began with. A configuration with a mistake changes nothing: the server keeps
/// what it has, and says so in its log.
struct Reload: Sendable {
    /// Reads the configuration again.
    let read: @Sendable () throws -> ServerSetup
    let transport: HTTPTransport
    let registry: AppRegistry
    let rates: RequestRates
    let certificate: TLSCertificate?
    let audit: LedgerAudit
    let logger: Logger

    /// Applies the configuration as it is now.
    ///
    /// - Parameter former: the one in force.
    /// - Returns: the one in force afterwards.
    func apply(after former: ServerSetup) async -> ServerSetup {
        do {
            let setup = try read()
            let apps = try setup.apps(asking: transport)
            let keys = try setup.shownKeys(audit: try setup.auditKeys())
            // Before they sign: the audit knows each key that a signature names.
            try await audit.note(keys: keys)
            if let certificate, let tls = setup.tls { try certificate.replace(with: tls) }
            registry.replace(with: apps)
            rates.replace(with: setup.rateLimits)
            logger.notice("the configuration was reloaded")
            for name in setup.membersNeedingRestart(after: former) {
                logger.warning("`\(name)` has changed; the change takes effect when offerd is restarted")
            }
            return setup
        } catch {
            let failure = CommandFailure.words(error)
            logger.error(
                "the configuration was not reloaded; offerd keeps the one it has",
                metadata: [
                    "error": "\(failure?.message ?? "\(error)")", "hint": "\(failure?.hints.first ?? "")",
                ])
            return former
        }
    }
}

extension ServerSetup {
    fileprivate func membersNeedingRestart(after former: ServerSetup) -> [String] {
        [
            ("listen", listen != former.listen), ("metrics", metrics != former.metrics), ("log", log != former.log),
            ("database", databasePath != former.databasePath),
            ("retention", retention != former.retention), ("audit", keys.audit != former.keys.audit),
            ("appStoreServer", appStoreServers != former.appStoreServers),
            ("tls", (tls == nil) != (former.tls == nil)), ("notifications.recheck", recheck != former.recheck),
        ].filter(\.1).map(\.0)
    }
}

/// Reloads on SIGHUP, and when one of the configuration's files has changed.
///
/// A change is applied once the files have been the same for a second, because a file that is still being written may be
/// valid and incomplete.
struct ReloadService: Service {
    private static let interval = Duration.seconds(1)

    let reload: Reload
    let setup: ServerSetup
    let hangups: UnixSignalsSequence

    func run() async throws {
        let watch = ConfigurationWatch(reload: reload, setup: setup)
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in hangups { await watch.reloadNow() } }
                group.addTask {
                    while (try? await Task.sleep(for: Self.interval)) != nil { await watch.reloadIfChanged() }
                }
                await group.waitForAll()
            }
        }
    }
}

/// The configuration in force, and its files as they were when it was read.
private actor ConfigurationWatch {
    private let reload: Reload
    private var setup: ServerSetup
    private var read: [FileState]
    private var seen: [FileState]
    private var isReloading = false

    init(reload: Reload, setup: ServerSetup) {
        self.reload = reload
        self.setup = setup
        read = setup.files.map(FileState.init)
        seen = read
    }

    func reloadIfChanged() async {
        let now = setup.files.map(FileState.init)
        defer { seen = now }
        if now != read, now == seen { await reloadNow() }
    }

    func reloadNow() async {
        // A change during a reload shows in the states taken before it, and is seen by the next look.
        guard !isReloading else { return }
        isReloading = true
        read = setup.files.map(FileState.init)
        let former = setup
        setup = await reload.apply(after: former)
        if setup.files != former.files { read = setup.files.map(FileState.init) }
        isReloading = false
    }
}

/// What changes whenever a file is written or replaced; equal for files that are not there.
private struct FileState: Equatable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let changed: [Int]

    init(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            (device, number, size, changed) = (0, 0, -1, [])
            return
        }
        (device, number, size) = (
            UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino), Int64(status.st_size)
        )
        changed = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }
}
