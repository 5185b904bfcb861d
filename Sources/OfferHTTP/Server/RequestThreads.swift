import NIOCore
package import OfferApplication
import OfferModel
import Synchronization

/// Threads for requests that may take long to read and to verify, so that they keep no others waiting.
package final class RequestThreads: Sendable {
    /// For all that comes without a key: a chain with Apple's root in it costs public-key work before it proves false.
    package let strangers = WorkThread(label: "offerd.strangers")
    /// Everyone can have an `app` key.
    package let apps: [WorkThread]
    /// A long body may have 200 JWS in it.
    package let long = WorkThread(label: "offerd.long")
    private let requests = Atomic(0)

    /// Half as many threads for requests with `app` keys as there are cores, and at least one.
    package init() {
        apps = (0..<max(1, System.coreCount / 2)).map { WorkThread(label: "offerd.apps.\($0)") }
    }

    /// The thread for one more request; `nil` for one that any thread may answer.
    func next(for role: Role, isLong: Bool) -> WorkThread? {
        guard role == .app else { return isLong ? long : nil }
        return apps[(requests.wrappingAdd(1, ordering: .relaxed).oldValue & .max) % apps.count]
    }
}
