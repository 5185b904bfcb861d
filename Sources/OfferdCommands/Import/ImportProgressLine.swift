import Foundation
import OfferApplication
import OfferModel
import OfferStore

/// How far an import is, on standard error: on a terminal one line that changes, elsewhere a line now and then.
final class ImportProgressLine {
    private let isTerminal = isatty(STDERR_FILENO) != 0
    private let clock = ContinuousClock()
    private var began: ContinuousClock.Instant
    private var shown: ContinuousClock.Instant
    private var stage: ImportProgress?
    private var isOnScreen = false

    init() {
        began = clock.now
        shown = clock.now
    }

    func show(_ progress: ImportProgress) {
        let now = clock.now
        if stage?.stage != progress.stage {
            (began, shown) = (now, now)
            stage = progress
            return
        }
        guard now - shown >= (isTerminal ? .milliseconds(500) : .seconds(10)) else { return }
        shown = now
        let text = text(progress, since: now - began)
        if isTerminal {
            isOnScreen = true
            write("\r\u{1B}[K\(text)")
        } else {
            write(text + "\n")
        }
    }

    /// Takes the line away.
    func end() {
        if isOnScreen { write("\r\u{1B}[K") }
    }

    /// Such as `reading 45 %, 23000 lines/s, 12 s left`. Rates are from when this process began with the stage.
    private func text(_ progress: ImportProgress, since elapsed: Duration) -> String {
        let seconds = max(Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18, 0.001)
        let first = stage ?? progress
        let rate = Double(progress.items - first.items) / seconds
        let pace = Double(progress.done - first.done) / seconds
        let left = pace > 0 ? "\(Int(saturating: Double(progress.total - progress.done) / pace)) s left" : "waiting"
        let share = progress.total > 0 ? progress.done.saturatingMultiplied(by: 100) / progress.total : 100
        return switch progress.stage {
        case .staging: "reading \(share) %, \(Int(saturating: rate)) lines/s, \(left)"
        case .applying: "applying \(share) %, \(Int(saturating: rate)) purchases/s, \(left)"
        case .stating, .closing, .closed: "stating \(share) %, \(Int(saturating: rate)) customers/s"
        }
    }

    private func write(_ text: String) {
        // Where standard error is closed, there is nobody left to tell.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
