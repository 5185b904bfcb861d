import Logging
import OfferApplication
import OfferModel
import OfferStore
import ServiceLifecycle

/// Signs checkpoints of the audit while the server runs, and once more when it stops.
struct CheckpointService: Service {
    let audit: LedgerAudit
    let witness: WitnessFile?
    let logger: Logger

    /// How often it looks whether one is due.
    private static let rest = Duration.seconds(2)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var isQuietUntil = ContinuousClock.now
            while !Task.isCancelled {
                await sign(now: false)
                await tell(&isQuietUntil)
                try? await Task.sleep(for: Self.rest)
            }
        }
        await sign(now: true)
        var isQuietUntil = ContinuousClock.now
        await tell(&isQuietUntil)
    }

    /// Writes to the witness what it does not have yet. Where that fails, offers are issued all the same, it is tried again
    /// with every look, and logged every five minutes.
    private func tell(_ isQuietUntil: inout ContinuousClock.Instant) async {
        guard let witness else { return }
        do {
            try await witness.catchUp(audit.checkpoints)
        } catch is CancellationError {
            return
        } catch {
            guard ContinuousClock.now >= isQuietUntil else { return }
            isQuietUntil = .now + .seconds(300)
            logger.error(
                "the newest checkpoints could not be written to the witness",
                metadata: ["error": "\(Terminal.failure(error)?.message ?? "\(error)")"])
        }
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
