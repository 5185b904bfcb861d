import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("Random requests of extreme values (invariant 10)")
struct RandomExtremeTests {
    /// `OFFERD_EXTREMES=20000` sends more, `OFFERD_EXTREMES_SEED=7` others.
    /// How long one takes is for fuzzing to say: beside other tests, a time says how busy the machine is.
    private static let environment = ProcessInfo.processInfo.environment

    @Test("each is decided or refused, and none is an error of the service")
    func answered() async throws {
        let seed = Self.environment["OFFERD_EXTREMES_SEED"].flatMap { UInt64($0) } ?? 20_261
        let count = Self.environment["OFFERD_EXTREMES"].flatMap { Int($0) } ?? 400
        print("extreme values: \(count) requests, seed \(seed)")
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let (support, client) = (try await service.token(.support), try await service.token(.client))
            var extremes = RandomExtremes(seed: seed)
            var statuses: [Int: Int] = [:]
            for number in 0..<count {
                let body = number % 16 == 0 ? extremes.attributes() : extremes.body()
                let answer =
                    number % 16 == 0
                    ? try await service.ask("PUT", "/v1/customers/attributes", token: client, body: body)
                    : try await service.ask("POST", "/v1/decisions", token: support, body: body)
                statuses[answer.status, default: 0] += 1
                #expect(
                    [200, 400, 404, 409, 422].contains(answer.status),
                    "seed \(seed), request \(number): \(answer.status) \(answer.text) to \(body)")
            }
            #expect(statuses[200, default: 0] > count / 20, "too few reach the evaluator: \(statuses)")
            print("extreme values: \(statuses.sorted { $0.key < $1.key })")
        }
    }
}
