import AppStoreServer
import CommandLineSupport
import Foundation
import Logging
import OfferApplication
import OfferDocuments
import OfferHTTP
import OfferModel
import OfferStore
import OpenSSLCrypto
import ServiceLifecycle
import UnixSignals

/// Applies changes of the configuration to a running server: keys, apps, rate limits, webhooks, login providers and the
/// TLS certificate.
///
/// Requests in progress finish with what they began with. A configuration with a mistake changes nothing: the server
/// keeps what it has, and says so in its log.
struct Reload: Sendable {
    let read: @Sendable () throws -> ServerSetup
    let transport: HTTPTransport
    let registry: AppRegistry
    let rates: RequestRates
    let webhooks: WebhookRegistry
    let customerTokens: CustomerTokens
    let certificate: TLSCertificate?
    let audit: LedgerAudit
    /// The keys of the audit that the server was started with; they stay in use until it is restarted.
    let auditKeys: AuditKeys?
    let started: ServerSetup
    let logger: Logger
    /// Called after each attempt, with why the configuration is not in force, or `nil` if it is.
    var noted: @Sendable (_ failure: ServerState.Fault?) -> Void = { _ in }

    enum Outcome {
        case applied(ServerSetup)
        /// Refused for a mistake in it, which a change of one of these files may mend; none if it could not be read.
        case refused(files: [String])
        /// The database did not take the new keys; it may a moment later.
        case postponed
    }

    func apply() async -> Outcome {
        var files: [String] = []
        do {
            var setup = try read()
            files = setup.files
            let needingRestart = setup.membersNeedingRestart(after: started)
            setup.configuration.appStoreServers = started.configuration.appStoreServers
            let apps = try setup.apps(asking: transport)
            let webhooks = try setup.webhooks()
            let providers = try setup.customerTokenProviders()
            _ = try setup.auditKeys()
            if let auditKeys { try setup.requireApart(from: auditKeys.signing) }
            let renewed = try setup.configuration.tls.map(TLSCertificate.init)
            // Before they sign: the audit knows each key that a signature names. Last of all that can fail: it knows
            // none of a configuration that is not applied.
            try await audit.note(keys: try setup.shownKeys(audit: auditKeys))
            if let certificate, let renewed {
                certificate.replace(with: renewed)
                if let files = setup.configuration.tls { certificate.warn(files, logger) }
            }
            registry.replace(with: apps)
            rates.replace(with: setup.configuration.rateLimits)
            self.webhooks.replace(with: webhooks)
            customerTokens.replace(with: providers)
            logger.notice("the configuration was reloaded")
            for name in needingRestart {
                logger.warning("`\(name)` has changed; the change takes effect when offerd is restarted")
            }
            noted(nil)
            return .applied(setup)
        } catch {
            let failure = CommandFailure.words(error)
            noted(ServerState.Fault(failure?.message ?? "\(error)", hint: failure?.hints.first))
            logger.error(
                "the configuration was not reloaded; offerd keeps the one it has",
                metadata: [
                    "error": "\(failure?.message ?? "\(error)")", "hint": "\(failure?.hints.first ?? "")",
                ])
            return error is StoreError ? .postponed : .refused(files: files)
        }
    }
}

extension TLSCertificate {
    /// Warns of what a server can live with, but its operator should not.
    func warn(_ files: TLSPaths, _ logger: Logger) {
        if expiresAt <= Instant.wallClock {
            logger.warning("the TLS certificate expired at \(expiresAt); most clients refuse it")
        }
        if let mode = files.keyModeForOthers {
            logger.warning(
                "others on this machine may read the TLS key",
                metadata: [
                    "file": "\(files.key)", "mode": "\(mode)",
                    "hint": "let only the owner read it, as with `chmod 600`",
                ])
        }
    }
}

extension TLSPaths {
    /// The mode of the key's file, in octal digits, if it lets others read it.
    var keyModeForOthers: String? {
        // Certificates are renewed by links to files, and a link has a mode of its own.
        let file = URL(filePath: key).resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0
        return mode & 0o007 == 0 ? nil : String(mode, radix: 8)
    }
}

extension ServerSetup {
    fileprivate func membersNeedingRestart(after former: ServerSetup) -> [String] {
        let (new, old) = (configuration, former.configuration)
        return [
            ("listen", listen != former.listen), ("metrics", new.metrics != old.metrics),
            ("console", (new.console, new.proxyUsers) != (old.console, old.proxyUsers)), ("log", new.log != old.log),
            ("database", database != former.database),
            ("retention", new.retention != old.retention), ("grants", new.grants != old.grants),
            ("audit", keys.audit != former.keys.audit),
            ("appStoreServer", new.appStoreServers != old.appStoreServers),
            ("tls", (new.tls == nil) != (old.tls == nil)),
            ("trustedProxies", new.trustedProxies != old.trustedProxies),
            ("notifications.recheck", new.recheck != old.recheck),
        ].filter(\.1).map(\.0)
    }
}

/// Reloads on SIGHUP, and when one of the configuration's files has changed.
///
/// A change is applied once the files have been the same for a second, because a file that is still being written may
/// be valid and incomplete.
struct ReloadService: Service {
    private static let interval = Duration.seconds(1)

    let reload: Reload
    let watch: ConfigurationWatch
    let hangups: UnixSignalsSequence

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in hangups { await watch.reload(by: reload) } }
                group.addTask {
                    while (try? await Task.sleep(for: Self.interval)) != nil { await watch.reloadIfChanged(by: reload) }
                }
                await group.waitForAll()
            }
        }
    }
}

/// The files of the configuration as they were when it was last read.
actor ConfigurationWatch {
    private var read: [String: FileVersion?]
    private var seen: [String: FileVersion?]
    private var isReloading = false
    private var isAskedAgain = false

    init(_ setup: ServerSetup) {
        read = Self.states(of: setup.files)
        seen = read
    }

    private static func states(of files: some Sequence<String>) -> [String: FileVersion?] {
        Dictionary(files.map { ($0, FileVersion(path: $0)) }) { first, _ in first }
    }

    func reloadIfChanged(by reload: Reload) async {
        let now = Self.states(of: seen.keys)
        defer { if !isReloading { seen = Self.states(of: read.keys).merging(now) { _, looked in looked } } }
        if now != read, now == seen { await self.reload(by: reload) }
    }

    func reload(by reload: Reload) async {
        guard !isReloading else {
            isAskedAgain = true
            return
        }
        isReloading = true
        repeat {
            isAskedAgain = false
            // Taken before the files are read: what changes meanwhile is seen by the next look.
            let before = Self.states(of: read.keys)
            switch await reload.apply() {
            case .applied(let setup):
                let inForce = Set(setup.files)
                read = Self.states(of: inForce).merging(before.filter { inForce.contains($0.key) }) { _, old in old }
            case .refused(let files):
                read = Self.states(of: files).merging(before) { _, old in old }
            case .postponed:
                break
            }
        } while isAskedAgain
        seen = read
        isReloading = false
    }
}
