import Logging
import OfferApplication
import OfferHTTP
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Logs the steps of an orderly shutdown: the drain if there is one, the signal, the answers to the requests in progress,
/// and the end.
final class Shutdown: Sendable {
    /// The time that requests in progress have.
    static let patience = Duration.seconds(20)

    private let requests: RequestsInProgress
    private let readiness: Readiness
    private let logger: Logger
    private let start = Mutex<ContinuousClock.Instant?>(nil)

    init(_ requests: RequestsInProgress, readiness: Readiness, logger: Logger) {
        self.requests = requests
        self.readiness = readiness
        self.logger = logger
    }

    /// Lets balancers send new requests elsewhere, while those that still come are answered.
    fileprivate func drain() {
        guard readiness.drain() else { return }
        logger.notice(
            "draining: `/readyz` fails, and requests are answered until SIGTERM",
            metadata: ["requests": .stringConvertible(requests.count)])
    }

    fileprivate func begin(_ signal: UnixSignal) {
        start.withLock { $0 = .now }
        logger.notice(
            "stopping: requests in progress have \(Self.patience.components.seconds) s to finish",
            metadata: ["signal": "\(signal)", "requests": .stringConvertible(requests.count)])
    }

    fileprivate func serverEnded() {
        guard let metadata else { return }
        let left = requests.count
        if left == 0 {
            logger.notice("no request is in progress any more", metadata: metadata)
        } else {
            logger.warning(
                "requests in progress were cut off",
                metadata: metadata.merging(["requests": .stringConvertible(left)]) { $1 })
        }
    }

    /// - Parameter events: the number of the newest event of the audit; `nil` where it could not be read.
    func closed(events: Int64?) {
        guard var metadata else { return }
        metadata["audit.events"] = events.map { .stringConvertible($0) }
        logger.notice("stopped: everything is committed and the database is closed", metadata: metadata)
    }

    /// `nil` before the signal.
    private var metadata: Logger.Metadata? {
        start.withLock { $0 }.map { start in
            let (seconds, attoseconds) = (ContinuousClock.now - start).components
            return ["duration.us": .stringConvertible(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)]
        }
    }
}

/// Ends on SIGTERM or SIGINT, and so ends its group; SIGUSR1 only begins a drain.
struct SignalService: Service {
    let signals: UnixSignalsSequence
    let shutdown: Shutdown

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await signal in signals {
                guard signal == .sigusr1 else { return shutdown.begin(signal) }
                shutdown.drain()
            }
        }
    }
}

/// Placed before the server in a group, so that it is stopped after it.
struct DrainService: Service {
    let shutdown: Shutdown

    func run() async throws {
        try? await gracefulShutdown()
        shutdown.serverEnded()
    }
}
