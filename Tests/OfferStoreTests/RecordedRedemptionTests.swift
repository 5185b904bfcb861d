import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Redemptions as rows")
struct RecordedRedemptionTests {
    private static let start = Bench.now.adding(milliseconds: -90 * Instant.Duration.day)

    private static func purchase(
        _ id: String, of original: String, day: Int, offer: OfferIdentifier? = "comeback50",
        reason: TransactionReason = .purchase, account: AppTransactionId? = nil
    ) -> HistoryPayload {
        let transaction = Transaction.fixture(
            TransactionId(id), original: TransactionId(original),
            purchased: start.adding(milliseconds: Int64(day) * Instant.Duration.day)
        ) {
            $0.offerType = offer == nil ? nil : .promotional
            $0.offerIdentifier = offer
            $0.offerPeriod = offer == nil ? nil : "P1M"
            $0.transactionReason = reason
            $0.appTransactionId = account
        }
        let bytes = "\(id) \(original) \(day) \(offer?.rawValue ?? "-") \(account?.rawValue ?? "-")"
        return HistoryPayload(.transaction(transaction), bytes: Array(bytes.utf8), provenance: .client)
    }

    private static func pending(_ original: String, day: Int, offer: OfferIdentifier = "comeback50") -> HistoryPayload {
        let info = RenewalInfo.fixture(
            TransactionId(original), signed: start.adding(milliseconds: Int64(day) * Instant.Duration.day)
        ) {
            $0.offerType = .promotional
            $0.offerIdentifier = offer
        }
        let bytes = "pending \(original) \(day) \(offer)"
        return HistoryPayload(.renewalInfo(info), bytes: Array(bytes.utf8), provenance: .client)
    }

    /// The visible state, without the dates and numbers of its arrival.
    private static func rows(_ bench: Bench) async throws -> [String] {
        try await bench.database.read { transaction in
            let redemptions = try transaction.rows(
                Statement(
                    """
                    SELECT original_transaction_id, offer_type, offer_identifier, subscription_group_identifier,
                        product_id, transaction_id, first_evidence, offer_ends, provenance, issued_offer_id,
                        is_doubled, is_late
                    FROM redemption
                    """))
            let counters = try transaction.rows(
                Statement(
                    "SELECT offer_type, offer_identifier, product_id, amount FROM redemption_counter WHERE amount > 0"))
            let amounts = try transaction.rows(Statement("SELECT offer_id, unit, amount FROM offer_counter"))
            let issuedOffers = try transaction.rows(
                Statement("SELECT id, redemptions, places, full_price_transaction_id FROM issued_offer"))
            return [redemptions, counters, amounts, issuedOffers].flatMap { $0.map { "\($0.values)" }.sorted() }
        }
    }

    @Test("any order and repetition of the same data leaves the same rows, counters and flags (invariant 7)")
    func order() async throws {
        for seed: UInt64 in 1...60 {
            var generator = SeededGenerator(seed: seed)
            let payloads = Self.payloads(&generator)
            let issuedOfferDays = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                Int.random(in: 0...80, using: &generator)
            }
            var expected: [String]?
            for round in 0..<4 {
                let bench = try await Bench()
                // The customers have issued offers before their data arrives; the first payload of each makes the
                // customer.
                let owners = ["1", "2"]
                for owner in owners {
                    try await bench.ingest([Self.purchase("\(owner)00", of: owner, day: 0, offer: nil)])
                }
                try await Self.issue(issuedOfferDays, to: owners, bench)
                var arriving = payloads
                if round > 0 {
                    arriving += payloads.filter { _ in Bool.random(using: &generator) }
                    arriving.shuffle(using: &generator)
                }
                while !arriving.isEmpty {
                    let count = round == 0 ? 1 : Int.random(in: 1...4, using: &generator)
                    try await bench.ingest(Array(arriving.prefix(count)))
                    arriving = Array(arriving.dropFirst(count))
                }
                let rows = try await Self.rows(bench)
                #expect(expected == nil || rows == expected, "seed \(seed), round \(round)")
                expected = expected ?? rows
            }
        }
    }

    private static func payloads(_ generator: inout SeededGenerator) -> [HistoryPayload] {
        var payloads: [HistoryPayload] = []
        for index in 0..<Int.random(in: 1...8, using: &generator) {
            let original = Bool.random(using: &generator) ? "1" : "2"
            let day = Int.random(in: 1...89, using: &generator)
            let offer: OfferIdentifier? =
                [nil, "comeback50", "comeback50", "other"].randomElement(using: &generator) ?? nil
            let account: AppTransactionId? = Int.random(in: 0..<6, using: &generator) == 0 ? "ACCOUNT" : nil
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: payloads.append(pending(original, day: day, offer: offer ?? "other"))
            default:
                payloads.append(
                    purchase(
                        "\(original)0\(index + 1)", of: original, day: day, offer: offer,
                        reason: Bool.random(using: &generator) ? .purchase : .renewal, account: account))
            }
        }
        return payloads
    }

    /// Issued offers that lie apart, so that no merge meets two open ones: what a merge voids depends on when it
    /// happens.
    private static func issue(_ days: [Int], to owners: [String], _ bench: Bench) async throws {
        let scope = bench.scope
        for (number, day) in days.enumerated() {
            try await bench.database.write { transaction in
                let owner = ProvenIdentifier.originalTransactionId(TransactionId(owners[number % 2]))
                guard let customer = try CustomerStore(transaction).customer(owner, in: scope) else { return }
                var issuedOffer = IssuedOffer.fixture(
                    number, offer: OfferId("offer\(number)"),
                    issued: start.adding(milliseconds: Int64(day) * Instant.Duration.day))
                issuedOffer.cost = Money(milliunits: 9_990, currency: "USD")
                try IssuedOfferStore(transaction).insert(
                    issuedOffer, catalogRevision: 1, for: customer, subject: [], in: scope)
            }
        }
    }

    @Test(
        "flags say what was doubled, late and without an issued offer, and a use of a passed issued offer takes its place again"
    )
    func flags() async throws {
        let bench = try await Bench()
        try await bench.ingest([Self.purchase("100", of: "1", day: 0, offer: nil)])
        try await Self.issue([10], to: ["1", "1"], bench)
        let scope = bench.scope
        _ = try await bench.database.write {
            try IssuedOfferStore($0).settlePassed(of: "offer0", at: Bench.now, in: scope)
        }
        try await bench.ingest([
            Self.purchase("101", of: "1", day: 5), Self.purchase("102", of: "1", day: 45),
            Self.purchase("103", of: "1", day: 88),
        ])
        let flags = try await bench.database.read { transaction in
            try transaction.rows(
                Statement("SELECT transaction_id, issued_offer_id, is_doubled, is_late FROM redemption ORDER BY 1")
            ).map { row in
                let isDoubled: Bool = try row.value(2)
                let isLate: Bool = try row.value(3)
                return
                    "\(try row.value(0, as: String.self)) matched: \(row.values[1] != .null), doubled: \(isDoubled), "
                    + "late: \(isLate)"
            }
        }
        #expect(
            flags == [
                "101 matched: false, doubled: false, late: false", "102 matched: true, doubled: false, late: true",
                "103 matched: true, doubled: true, late: true",
            ])
        let amounts = try await bench.database.read { transaction in
            try transaction.rows(Statement("SELECT unit || ' ' || amount FROM offer_counter ORDER BY unit"))
                .map { try $0.value(0, as: String.self) }
        }
        #expect(amounts == ["USD 19980", "places 2"])
    }

    @Test("a purchase without the offer while a signature lives is flagged, until the offer turns out to be used")
    func fullPrice() async throws {
        let bench = try await Bench()
        try await bench.ingest([Self.purchase("100", of: "1", day: 0, offer: nil)])
        try await Self.issue([10], to: ["1", "1"], bench)
        func flagged() async throws -> String? {
            try await bench.database.read {
                try $0.row(Statement("SELECT full_price_transaction_id FROM issued_offer"))?.value(0)
            }
        }
        try await bench.ingest([Self.purchase("101", of: "1", day: 10, offer: nil, reason: .renewal)])
        #expect(try await flagged() == nil, "a renewal is no purchase")
        try await bench.ingest([Self.purchase("102", of: "1", day: 11, offer: nil)])
        #expect(try await flagged() == nil, "the signature has ended by then")
        try await bench.ingest([Self.purchase("103", of: "1", day: 10, offer: nil)])
        #expect(try await flagged() == "103")
        try await bench.ingest([Self.purchase("104", of: "1", day: 40)])
        #expect(try await flagged() == nil)
    }

    @Test(
        "a merge voids no open issued offer where the older one turns out to be redeemed, also by data of the same request"
    )
    func merge() async throws {
        for isTogether in [false, true] {
            let bench = try await Bench()
            let scope = bench.scope
            let owners = try await bench.ingest([
                Self.purchase("100", of: "1", day: 0, offer: nil, account: "A"),
                Self.purchase("200", of: "2", day: 0, offer: nil),
            ]).compactMap(\.customer)
            for (number, owner) in owners.enumerated() {
                try await bench.database.write {
                    try IssuedOfferStore($0).insert(
                        .fixture(number, issued: Bench.now.adding(milliseconds: Int64(number))), catalogRevision: 1,
                        for: owner, subject: [owner], in: scope)
                }
            }
            let use = Self.purchase("101", of: "1", day: 90)
            let link = Self.purchase("201", of: "2", day: 1, offer: nil, account: "A")
            if isTogether {
                try await bench.ingest([use, link])
            } else {
                try await bench.ingest([use])
                try await bench.ingest([link])
            }
            let open = try await bench.database.read { transaction in
                let survivor = try CustomerStore(transaction).customer(.originalTransactionId("2"), in: scope)
                #expect(survivor == owners[0])
                return try IssuedOfferStore(transaction).issuedOffers(of: [owners[0]]).filter {
                    $0.isOpen(at: Bench.now)
                }
            }
            #expect(open.map(\.id) == [.number(1)], "together: \(isTogether)")
        }
    }

    @Test(
        "a use dated after a new issued offer, as Apple charges early, becomes the issued offer's and is counted once")
    func laterEvidence() async throws {
        let bench = try await Bench()
        let scope = bench.scope
        let use = Self.purchase("101", of: "1", day: 91)
        let owner = try #require(try await bench.ingest([use]).first?.customer)
        let unmatched = try await Self.rows(bench)
        try await bench.database.write { transaction in
            try IssuedOfferStore(transaction).insert(
                .fixture(1), catalogRevision: 1, for: owner, subject: [owner], in: scope)
            try RedemptionStore(transaction).matchLaterEvidence(
                of: owner, since: Bench.now, offers: [], at: Bench.now, in: scope)
        }
        let rows = try await bench.database.read { try RedemptionStore($0).redemptions(of: owner) }
        #expect(rows.map(\.redemption.issuedOfferId) == [.number(1)])
        #expect(unmatched.count == 2, "the use, and the count of those without an issued offer")
        #expect(try await Self.rows(bench).count == 3, "the use, the offer's places, and the issued offer")
    }

    @Test("data that changes nothing of a customer writes nothing about redemptions")
    func unchanged() async throws {
        let bench = try await Bench()
        let use = Self.purchase("101", of: "1", day: 5)
        try await bench.ingest([use, Self.purchase("200", of: "2", day: 5)])
        let first = try await bench.database.read { transaction in
            try transaction.rows(Statement("SELECT sequence, recorded_at FROM redemption"))
        }
        try await bench.ingest([use], at: Bench.now.adding(milliseconds: 5))
        try await bench.ingest([Self.pending("2", day: 1)], at: Bench.now.adding(milliseconds: 6))
        let second = try await bench.database.read { transaction in
            try transaction.rows(
                Statement("SELECT sequence, recorded_at FROM redemption WHERE original_transaction_id = '1'"))
        }
        #expect(first.count == 2)
        #expect(first.contains { $0 == second.first })
    }
}
