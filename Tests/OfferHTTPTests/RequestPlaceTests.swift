import NIOCore
import NIOPosix
import Testing

@testable import OfferHTTP

@Suite("Where a request runs")
struct RequestPlaceTests {
    private let loop = MultiThreadedEventLoopGroup.singleton.next()

    @Test("a request runs on its event loop, what may take long aside, and its answer goes from the loop again")
    func places() async throws {
        let loop = loop
        try await withTaskExecutorPreference(EventLoopExecutor(loop)) { @concurrent in
            #expect(loop.inEventLoop)
            await Task.yield()
            #expect(loop.inEventLoop)
            let wasAside = try await Aside.run { !loop.inEventLoop }
            #expect(wasAside)
            #expect(loop.inEventLoop)
            let stayed = try await Aside.run(if: false) { loop.inEventLoop }
            #expect(stayed)
        }
    }

    @Test("two or three JWS are quick, more are not")
    func bodies() {
        #expect(!Aside.isNeeded(forBody: 3 * 8 * 1_024))
        #expect(Aside.isNeeded(forBody: 3 * 8 * 1_024 + 1))
    }
}
