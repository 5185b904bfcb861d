import NIOCore
import NIOPosix
import OfferTestSupport
import Testing

@testable import OfferHTTP

@Suite("Requests in progress")
struct RequestsInProgressTests {
    private let requests = RequestsInProgress()

    private func answer(_ number: Int) {
        for _ in 0..<number {
            requests.began()
            requests.ended()
        }
    }

    @Test("a server is quiet after 33 requests in a row that began alone")
    func quiet() {
        answer(32)
        #expect(!requests.areQuiet)
        answer(1)
        #expect(requests.areQuiet)
    }

    @Test("one request that begins beside another ends that, and the count begins again")
    func beside() {
        answer(40)
        requests.began()
        #expect(requests.areQuiet)
        requests.began()
        #expect(!requests.areQuiet)
        #expect(requests.count == 2)
        requests.ended()
        requests.ended()
        answer(32)
        #expect(!requests.areQuiet)
        answer(1)
        #expect(requests.areQuiet)
    }

    @Test("a connection's task runs on its event loop while the server is quiet, and not there otherwise")
    func executor() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let executor = ConnectionExecutor(loop, requests)
        #expect(await !Task(executorPreference: executor) { loop.inEventLoop }.value)
        answer(33)
        #expect(await Task(executorPreference: executor) { loop.inEventLoop }.value)
        requests.began()
        requests.began()
        #expect(await !Task(executorPreference: executor) { loop.inEventLoop }.value)
        try await group.shutdownGracefully()
    }
}
