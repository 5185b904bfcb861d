import Dispatch
import OfferModel
import OfferStore
import SQLiteStore
import Testing

@Suite("When the writer's queue is full")
struct FullQueueTests {
    @Test(
        "the next request is told to come back, those that wait are answered, and readers never notice (invariant 10)")
    func full() async throws {
        try await ServiceFixture.run(waitingWrites: 2) { service in
            let token = try await service.token(.marketing)
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let end = DispatchSemaphore(value: 0)
            let held = Task {
                try await service.database.write { _ in
                    begin.yield()
                    end.wait()
                }
            }
            _ = await begun.first { _ in true }
            defer { end.signal() }
            try await withThrowingTaskGroup(of: RawAnswer.self) { group in
                for _ in 0..<6 {
                    group.addTask { try await service.ask("POST", "/v1/offers/pause", token: token) }
                }
                for _ in 0..<4 {
                    let refused = try #require(try await group.next())
                    #expect(refused.status == 503)
                    #expect(refused.code == "busy")
                    #expect((refused.headers["retry-after"].flatMap(Int.init) ?? 0) > 0)
                }
                let read = try await service.ask("GET", "/v1/offers", token: token)
                #expect(read.status == 200)
                end.signal()
                for _ in 0..<2 { #expect(try await group.next()?.status == 200) }
            }
            try await held.value
        }
    }
}
