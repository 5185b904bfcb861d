import Dispatch

/// Holds a writing body, and so the only writer, until the test lets it go.
public final class Gate: Sendable {
    private let opened = DispatchSemaphore(value: 0)
    private let (entries, entry) = AsyncStream<Void>.makeStream()

    public init() {}

    /// Called by the body: says that it has begun, and waits.
    public func hold() {
        entry.yield()
        opened.wait()
    }

    /// Waits until the body has begun.
    public func entered() async {
        for await _ in entries { return }
    }

    public func open() {
        opened.signal()
    }
}
