import Dispatch
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@Suite("Work over HTTP that takes long")
struct LongWorkHTTPTests {
    /// Threads of a share, held until they are let go.
    private struct Held {
        let tasks: [Task<Bool, any Error>]
        private let end = DispatchSemaphore(value: 0)

        /// Takes every turn of a share.
        init(_ work: LongWork, turns: Int) async {
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let end = end
            tasks = (0..<turns).map { _ in
                Task {
                    try await work.run {
                        begin.yield()
                        return Self.wait(for: end)
                    }
                }
            }
            var waiting = begun.makeAsyncIterator()
            for _ in 0..<turns { await waiting.next() }
        }

        private static func wait(for end: DispatchSemaphore) -> Bool {
            end.wait(timeout: .now() + .seconds(60)) == .success
        }

        func letGo() async throws {
            for _ in tasks { end.signal() }
            for task in tasks { #expect(try await task.value, "it was not held to the end") }
        }
    }

    private func dryRun(_ service: ServiceFixture, _ text: String, _ token: String) async throws -> RawAnswer {
        try await service.ask(
            "PUT", "/v1/catalog?dryRun=true", token: token, body: text,
            headers: [("Content-Type", "application/yaml"), ("If-Match", "\"1\"")])
    }

    private func decide(_ service: ServiceFixture, _ token: String) async throws -> RawAnswer {
        try await service.ask(
            "POST", "/v1/decisions", token: token, body: #"{"customer": {"originalTransactionId": "1"}}"#)
    }

    @Test(
        "catalogs of two megabytes of one repeated key are checked one at a time while decisions are answered, each with its errors, and too many are told to come back (invariant 10)"
    )
    func catalogs() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let (marketing, client) = (try await service.token(.marketing), try await service.token(.client))
            let held = await Held(service.useCases.shares.catalogs, turns: 1)
            let worst = String(repeating: "a: 1\n", count: 400_000)
            try await withThrowingTaskGroup(of: RawAnswer.self) { group in
                for _ in 0..<32 {
                    group.addTask { try await dryRun(service, worst, marketing) }
                }
                for _ in 0..<2 {
                    let refused = try #require(try await group.next())
                    #expect(refused.status == 503)
                    #expect(refused.code == "busy")
                    #expect((refused.headers["retry-after"].flatMap(Int.init) ?? 0) > 0)
                }
                #expect(try await decide(service, client).status == 200)
                #expect(try await dryRun(service, worst, marketing).status == 503)
                try await held.letGo()
                for _ in 0..<30 {
                    let answer = try #require(try await group.next())
                    #expect(answer.status == 422)
                    #expect(answer.code == "invalid-catalog")
                    #expect(answer.errors.count == 101)
                    #expect(answer.errors.first?["code"] as? String == "duplicateKey")
                    #expect(answer.errors.first?["line"] as? Int == 2)
                }
            }
            #expect(try await decide(service, client).status == 200)
        }
    }

    @Test("a catalog of as many tokens as are accepted gets an answer, and one of more says what is too much")
    func tokens() async throws {
        try await ServiceFixture.run { service in
            let token = try await service.token(.marketing)
            let more = try await dryRun(service, "a: [" + String(repeating: "a: 1, ", count: 300_000) + "]", token)
            #expect(more.status == 422)
            #expect(more.errors.first?["code"] as? String == "tooLarge")
            #expect(more.errors.first?["hint"] as? String == "delete what is not used any more, or divide it")
            let fits = try await dryRun(service, "a: [" + String(repeating: "a: 1, ", count: 6_300) + "]", token)
            #expect(fits.status == 422)
            #expect(fits.errors.first?["code"] as? String == "missingKey")
        }
    }

    enum Share: String, CaseIterable, Sendable {
        case largeSupposition, supposedInstant, supposedCatalog, signature, story, list, export, replay, report

        func work(_ shares: LongWorkShares) -> (work: LongWork, turns: Int) {
            switch self {
            case .largeSupposition, .supposedInstant: (shares.suppositions, 2)
            case .supposedCatalog: (shares.catalogs, 1)
            case .signature: (shares.signatures, 1)
            case .story, .list, .export, .replay: (shares.stories, 2)
            case .report: (shares.reports, 1)
            }
        }

        var role: Role {
            self == .report ? .marketing : .support
        }

        fileprivate func ask(_ service: ServiceFixture, _ token: String) async throws -> RawAnswer {
            let id = "00000000-0000-4000-8000-000000000000"
            let customer = #""customer": {"originalTransactionId": "1"}"#
            let (method, path, body): (String, String, String?) =
                switch self {
                case .largeSupposition:
                    ("POST", "/v1/decisions", #"{"catalog": ""# + String(repeating: " ", count: 300_000) + #""}"#)
                case .supposedInstant: ("POST", "/v1/decisions", #"{\#(customer), "asOf": 1780000000000}"#)
                case .supposedCatalog: ("POST", "/v1/decisions", #"{\#(customer), "catalog": "a: 1"}"#)
                case .signature:
                    ("POST", "/v1/signature-checks", #"{"format": "v2", "jws": "e30.e30.AAAA"}"#)
                case .story: ("GET", "/v1/customers?originalTransactionId=1", nil)
                case .list: ("GET", "/v1/issued-offers", nil)
                case .export: ("GET", "/v1/issued-offers/export", nil)
                case .replay: ("POST", "/v1/issued-offers/\(id)/replay", "{}")
                case .report: ("GET", "/v1/reports/funnel", nil)
                }
            return try await service.ask(method, path, token: token, body: body)
        }
    }

    @Test(
        "what waits for its share waits for nothing else, and keeps no decision waiting (invariant 10)",
        arguments: Share.allCases)
    func shares(share: Share) async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let (token, client) = (try await service.token(share.role), try await service.token(.client))
            let expected = try await share.ask(service, token)
            #expect(expected.status != 503)
            let (work, turns) = share.work(service.useCases.shares)
            let held = await Held(work, turns: turns)
            guard share != .report else {
                // None waits for another.
                #expect(try await share.ask(service, token).code == "busy")
                return try await held.letGo()
            }
            async let answer = share.ask(service, token)
            let patience = ContinuousClock.now + .seconds(20)
            while work.waiting < 1, ContinuousClock.now < patience { await Task.yield() }
            #expect(try await decide(service, client).status == 200)
            #expect(work.waiting == 1)
            try await held.letGo()
            let found = try await answer
            #expect(found.status == expected.status)
            #expect(found.code == expected.code)
        }
    }
}
