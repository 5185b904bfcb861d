import OfferModel
import Testing

@Suite("The standing of an offer")
struct OfferStandingTests {
    private static let now = Instant(milliseconds: 1_800_000_000_000)

    private static func day(_ days: Int64) -> Instant { now.adding(milliseconds: days * Instant.Duration.day) }

    /// A month for free of a product that costs 10.00 USD a month, or of one that costs 20.00 USD.
    private static func offer(_ change: (inout Offer) -> Void = { _ in }) -> Offer {
        var offer = Offer(
            id: "a", type: .promotional, delivery: .signature, offerIdentifier: "a", products: ["p", "q"],
            paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1, limits: [])
        change(&offer)
        return offer
    }

    private static let products = [("p", 10_000), ("q", 20_000)].map { id, price in
        Product(
            productId: ProductId(id), level: 1, period: Period(months: 1),
            price: Money(milliunits: price, currency: "USD"))
    }

    /// A combination of what decides it: the status, start and end in days from now, the pause's end, and whether
    /// nothing is left.
    struct Case: Sendable, CustomTestStringConvertible {
        var status = OfferStatus.active
        var starts: Int64?
        var ends: Int64?
        var pause: PauseTerm?
        var isExhausted = false
        var environments = Set(AppStoreEnvironment.allCases)
        let expected: OfferStanding

        var testDescription: String {
            "\(status) \(starts.map(String.init) ?? "–") to \(ends.map(String.init) ?? "–"), "
                + "\(pause.map { $0.until.map { "paused until \($0)" } ?? "paused" } ?? "not paused")"
                + (isExhausted ? ", exhausted" : "") + (environments.contains(.production) ? "" : ", elsewhere")
        }
    }

    private static let forever = PauseTerm(until: nil)

    private static let cases: [Case] = [
        Case(expected: .running), Case(ends: 1, expected: .running), Case(starts: 0, expected: .running),
        Case(starts: -1, ends: 1, expected: .running), Case(starts: 1, expected: .scheduled),
        Case(starts: 1, isExhausted: true, expected: .scheduled), Case(ends: 0, expected: .ended),
        Case(ends: -1, pause: forever, isExhausted: true, expected: .ended),
        Case(status: .archived, expected: .ended), Case(status: .archived, pause: forever, expected: .ended),
        Case(status: .archived, starts: 1, expected: .ended), Case(status: .draft, expected: .draft),
        Case(status: .draft, starts: 1, pause: forever, isExhausted: true, expected: .draft),
        Case(status: .draft, ends: -1, expected: .ended), Case(isExhausted: true, expected: .exhausted),
        // Paused and used up: the pause is named first, and what is left is shown beside it.
        Case(pause: forever, isExhausted: true, expected: .paused), Case(pause: forever, expected: .paused),
        Case(pause: PauseTerm(until: day(1)), expected: .paused),
        // A pause that is over before the start keeps nothing back.
        Case(starts: 2, pause: PauseTerm(until: day(1)), expected: .scheduled),
        Case(starts: 2, pause: PauseTerm(until: day(2)), expected: .scheduled),
        Case(starts: 2, pause: PauseTerm(until: day(3)), expected: .paused),
        Case(starts: 2, pause: forever, expected: .paused),
        // Not for the environment that it is asked of.
        Case(environments: [.sandbox], expected: .draft),
        Case(environments: [.production, .sandbox], expected: .running),
        Case(pause: forever, isExhausted: true, environments: [.sandbox, .xcode], expected: .draft),
        Case(starts: 1, environments: [.localTesting], expected: .draft),
        Case(status: .archived, environments: [.sandbox], expected: .ended),
    ]

    @Test("it is the first of ended, draft, paused, scheduled, exhausted and running that applies", arguments: cases)
    func standing(_ given: Case) {
        let offer = Self.offer {
            ($0.status, $0.starts, $0.ends) = (given.status, given.starts.map(Self.day), given.ends.map(Self.day))
            $0.environments = given.environments
        }
        #expect(
            OfferStanding(
                offer, in: .production, at: Self.now, pause: given.pause, isExhausted: given.isExhausted)
                == given.expected)
    }

    @Test("every standing is reached by some combination")
    func whole() {
        #expect(Set(Self.cases.map(\.expected)) == Set(OfferStanding.allCases))
    }

    @Test(
        "an offer is exhausted when on none of its products another use fits under every total and budget",
        arguments: [
            // Limits, what is taken of each, and whether it is exhausted.
            ([], [], false), ([.total(count: 5)], [4], false), ([.total(count: 5)], [5], true),
            ([.total(count: 5)], [7], true), ([budget(100_000)], [90_000], false),
            // 10.00 USD fit on the cheaper product alone, 9.99 USD on neither.
            ([budget(100_000)], [90_001], true), ([budget(100_000)], [100_000], true),
            ([budget(100_000)], [120_000], true), ([.total(count: 5), budget(100_000)], [4, 95_000], true),
            ([.total(count: 5), budget(100_000)], [5, 0], true), ([.total(count: 5), budget(100_000)], [4, 0], false),
            ([.perCustomer(count: 1, window: nil, across: .thisOffer)], [], false),
        ] as [([Limit], [Int64], Bool)])
    func exhausted(_ limits: [Limit], _ taken: [Int64], _ expected: Bool) {
        let offer = Self.offer { $0.limits = limits }
        let allowances = zip(SharedLimit.all(of: offer), taken).map { SharedAllowance($0, taken: $1) }
        #expect(SharedAllowance.isExhausted(allowances, Self.products, of: offer) == expected)
    }

    @Test("without products that the catalog knows, it is exhausted when nothing is left of a limit")
    func unknownProducts() {
        let offer = Self.offer { $0.limits = [.total(count: 5)] }
        func isExhausted(_ taken: Int64) -> Bool {
            SharedAllowance.isExhausted(
                SharedLimit.all(of: offer).map { SharedAllowance($0, taken: taken) }, [], of: offer)
        }
        #expect(!isExhausted(4))
        #expect(isExhausted(5))
    }

    private static func budget(_ milliunits: Int64) -> Limit { .budget(Money(milliunits: milliunits, currency: "USD")) }

    struct PaceCase: Sendable {
        var limit = Limit.total(count: 100)
        var taken: Int64 = 40
        var redeemed = 20
        var spent: [String: Int64] = [:]
        /// Days since the first of them.
        var since: Int64? = 10
        var ends: Int64?
        /// Days from now.
        let expected: Int64?
    }

    @Test(
        "a limit is used up when what is left would be redeemed at the pace of the last days",
        arguments: [
            // 20 in 10 days, so the 60 that are left last 30 days.
            PaceCase(expected: 30), PaceCase(taken: 99, redeemed: 10, expected: 1),
            PaceCase(limit: budget(1_000_000), taken: 500_000, spent: ["USD": 250_000], expected: 20),
            // It ends with the offer, or before.
            PaceCase(ends: 30, expected: nil), PaceCase(ends: 31, expected: 30),
            // Too little to tell, and nothing that it takes.
            PaceCase(redeemed: 9, expected: nil), PaceCase(redeemed: 0, since: nil, expected: nil),
            PaceCase(since: 2, expected: nil), PaceCase(since: 3, expected: 9),
            PaceCase(limit: budget(1_000_000), expected: nil),
            PaceCase(limit: budget(1_000_000), spent: ["EUR": 250_000], expected: nil),
            // Nothing is left, or it lasts for longer than a year.
            PaceCase(taken: 100, expected: nil), PaceCase(taken: 101, expected: nil),
            PaceCase(limit: .total(count: 770), expected: 365), PaceCase(limit: .total(count: 771), expected: nil),
            // The largest numbers there can be.
            PaceCase(limit: budget(.max), taken: 0, spent: ["USD": 1], expected: nil),
            PaceCase(limit: budget(.max), taken: 0, spent: ["USD": .max], expected: 10),
        ])
    func pace(_ given: PaceCase) throws {
        let offer = Self.offer { ($0.limits, $0.ends) = ([given.limit], given.ends.map(Self.day)) }
        let limit = try #require(SharedLimit.all(of: offer).first)
        let pace = OfferPace(
            redemptions: given.redeemed, spent: given.spent, first: given.since.map { Self.day(-$0) })
        let end = pace.end(of: SharedAllowance(limit, taken: given.taken), offer: offer, at: Self.now)
        #expect(end == given.expected.map(Self.day))
    }
}
