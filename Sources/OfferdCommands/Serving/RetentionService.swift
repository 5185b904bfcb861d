import Logging
import OfferApplication
import ServiceLifecycle

/// Runs retention beside the server, at its start and then every ten minutes.
struct RetentionService: Service {
    private static let interval = Duration.seconds(600)

    let retention: Retention
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await sweep()
                try await Task.sleep(for: Self.interval)
            }
        }
    }

    /// What fails now is tried again with the next round; requests tell of the same cause.
    private func sweep() async {
        do {
            let sum = try await retention.sweep()
            if sum.isHeld { logger.warning("retention keeps all texts: the audit's digest key has changed") }
            guard !sum.isEmpty else { return }
            logger.info(
                "what is no longer needed was removed",
                metadata: [
                    "signatures": "\(sum.signatures)", "refusals": "\(sum.refusals)", "answers": "\(sum.answers)",
                    "notifications": "\(sum.notifications)",
                ])
        } catch is CancellationError {
            return
        } catch {
            logger.warning("retention could not go on", metadata: ["error": "\(error)"])
        }
    }
}
