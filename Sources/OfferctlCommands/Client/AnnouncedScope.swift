import CommandLineSupport
import OfferModel
import Synchronization

/// The app and environment that a command works in, printed to stderr with the first answer.
final class AnnouncedScope: Sendable {
    private let known = Mutex<Scope?>(nil)

    /// `nil` before the first answer, and where the server does not say it, as older ones do not.
    var value: Scope? { known.withLock { $0 } }

    /// - Parameter header: `Offerd-Scope` of an answer: `com.example.pro/Production`.
    func note(_ header: String?) {
        guard let header, let scope = Scope(header: header) else { return }
        let isNew = known.withLock { known in
            defer { known = scope }
            return known != scope
        }
        if isNew { Console.note(scope.text(Console.notePalette)) }
    }
}

extension Scope {
    fileprivate init?(header: String) {
        let parts = header.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let environment = AppStoreEnvironment(rawValue: String(parts[1])) else { return nil }
        self.init(bundleId: BundleId(String(parts[0])), environment: environment)
    }

    /// `com.example.pro in Sandbox`; Production in capitals, and at a terminal in red.
    func text(_ palette: Palette) -> String {
        let app = bundleId.rawValue.printable
        return environment == .production
            ? "\(app) in " + palette.paint("PRODUCTION", .alarm) : "\(app) in \(environment.rawValue)"
    }
}

extension OfferdClient {
    /// Whether a change is asked about even if it is agreed to: at a terminal, unless it is known not to be in
    /// Production.
    var asks: Bool { Console.canAsk && scope.value.map { $0.environment == .production } ?? true }

    /// Asks before a change: at a terminal in Production always, elsewhere only where the change itself needs
    /// agreement.
    ///
    /// - Parameters:
    ///   - change: what is about to happen: `pause every offer`.
    ///   - isAgreed: whether the command line agrees to it, or it needs no agreement.
    /// - Throws: a failure if the user declines, or has not agreed and cannot be asked.
    func confirm(_ change: String, isAgreed: Bool = true) async throws {
        guard Console.canAsk else {
            if isAgreed { return }
            throw CommandFailure(
                .failed, "not done: \(change)", hints: ["if that is intended, add `--confirm`"])
        }
        // Any answer says where the key belongs, a refusal too.
        if scope.value == nil { _ = try? await catalogInForce() }
        if isAgreed && !asks { return }
        let place = scope.value.map { " (\($0.text(Console.notePalette)))" } ?? ""
        guard Console.ask("\(change.printable)\(place)?") else {
            throw CommandFailure(.failed, "not done: \(change)")
        }
    }
}
