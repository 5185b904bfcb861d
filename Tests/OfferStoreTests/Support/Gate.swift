import Dispatch

/// Holds a writing body, and so the only writer, until the test lets it go.
final class Gate: Sendable {
    private let opened = DispatchSemaphore(value: 0)
    private let (entries, entry) = AsyncStream<Void>.makeStream()

    /// Called by the body: says that it has begun, and waits.
    func hold() {
        entry.yield()
        opened.wait()
    }

    /// Waits until the body has begun.
    func entered() async {
        for await _ in entries { return }
    }

    func open() {
        opened.signal()
    }
}
