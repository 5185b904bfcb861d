import Logging
import OfferApplication
import OfferModel
import OfferStore
import ServiceLifecycle

/// Signs checkpoints of the audit while the server runs, and once more when it stops.
struct CheckpointService: Service {
    let audit: LedgerAudit
    let logger: Logger

    /// How often it looks whether one is due.
    private static let rest = Duration.seconds(2)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await sign(now: false)
                try? await Task.sleep(for: Self.rest)
            }
        }
        await sign(now: true)
    }

    /// A failure is not the service's end: the events stay, and the next checkpoint signs them too.
    private func sign(now isWanted: Bool) async {
        do {
            guard let checkpoint = try await audit.checkpoint(now: isWanted) else { return }
            logger.info(
                "signed the audit",
                metadata: [
                    "audit.checkpoint": "\(checkpoint.number)", "audit.events": "\(checkpoint.eventSequence)",
                    "audit.head": "\(Hexadecimal.lowercase(checkpoint.head))",
                ])
        } catch is CancellationError {
            return
        } catch {
            logger.warning("the audit could not be signed", metadata: ["error": "\(error)"])
        }
    }
}
