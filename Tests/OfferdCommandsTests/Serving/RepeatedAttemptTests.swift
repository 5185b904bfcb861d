import Logging
import OfferStore
import Synchronization
import Testing

@testable import OfferdCommands

@Suite("Background work that fails")
struct RepeatedAttemptTests {
    private final class Written: Sendable {
        private let texts = Mutex<[String]>([])

        /// How many lines there are, each of which must be of the failure.
        var failures: Int {
            texts.withLock { texts in
                for text in texts { #expect(text.contains("error=the disk is full") && text.contains("not kept")) }
                return texts.count
            }
        }

        func take(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            texts.withLock { $0 += lines }
            return []
        }
    }

    @Test("of failures in a row the first is logged and the last round's; after a success the next one is logged again")
    func quiet() async {
        let written = Written()
        let lines = LogLines { written.take($0) }
        let attempt = RepeatedAttempt(
            "events were not kept", Logger(label: "offerd") { LineLogHandler(label: $0, lines: lines) })
        func fail(isLast: Bool = false) async -> Int {
            let result: Int? = await attempt(isLast: isLast) { throw StoreError.unavailable("the disk is full") }
            #expect(result == nil)
            lines.flush()
            return written.failures
        }
        #expect(await fail() == 1)
        #expect(await fail() == 1)
        #expect(await fail(isLast: true) == 2)
        #expect(await attempt { 7 } == 7)
        #expect(await fail() == 3)
    }

    @Test("work that is cancelled has not failed")
    func cancelled() async {
        let written = Written()
        let lines = LogLines { written.take($0) }
        let attempt = RepeatedAttempt(
            "events were not kept", Logger(label: "offerd") { LineLogHandler(label: $0, lines: lines) })
        let result: Int? = await attempt(isLast: true) { throw CancellationError() }
        lines.flush()
        #expect(result == nil && written.failures == 0)
    }
}
