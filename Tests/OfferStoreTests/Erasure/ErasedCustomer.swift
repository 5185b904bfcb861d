import OfferModel
import OfferTestSupport

@testable import OfferStore

/// A customer of whom every table that can hold something does, beside one who is left alone.
struct ErasedCustomer {
    let bench: Bench
    let number: CustomerNumber
    /// Merged into the first.
    let merged: CustomerNumber
    let other: CustomerNumber

    /// Texts that must not be found anywhere afterwards.
    static let names = [
        "710000000000001", "710000000000002", "720000000000007", "Zoë Überall", "11111111-aaaa-4aaa-8aaa-111111111111",
        "favourite-team", "signalled-mood", "called about Zoë", "kept answer of Zoë", "artefact-of-zoe", "notified-zoe",
        "promised to Zoë",
    ]

    static let original: TransactionId = "710000000000001"
    static let start = Bench.now.adding(milliseconds: -90 * Instant.Duration.day)

    init(_ driver: Driver = .file) async throws {
        bench = try await Bench(driver)
        let scope = bench.scope
        other = try await bench.customer("799")
        try await bench.ingest([Self.offered("710000000000001", day: 0), .renews("710000000000001", account: nil)])
        try await bench.ingest([Self.offered("710000000000002", original: "710000000000002", day: 40, offer: nil)])
        try await bench.ingest([
            Self.offered("710000000000001", day: 0, account: "720000000000007"),
            Self.offered(
                "710000000000002", original: "710000000000002", day: 40, offer: nil, account: "720000000000007"),
            .installed("720000000000007"),
        ])
        let people = try await bench.database.read { transaction in
            try transaction.rows(
                Statement("SELECT id, merged_into FROM customer WHERE id <> ?1 ORDER BY merged_into IS NOT NULL", 1)
            ).map { try $0.value(0, as: CustomerNumber.self) }
        }
        (number, merged) = (people[0], people[1])
        let (customer, token) = (number, AppAccountToken("11111111-AAAA-4AAA-8AAA-111111111111"))
        try await bench.database.write { transaction in
            let customers = CustomerStore(transaction)
            try customers.state([.customerId("Zoë Überall")], of: [customer], at: Bench.now, in: scope)
            if let token { try customers.state([.appAccountToken(token)], of: [customer], at: Bench.now, in: scope) }
            _ = try AttributeStore(transaction).replace(
                ["team": .text("favourite-team")], of: [customer], actor: "key", at: Bench.now)
            try OpeningStore(transaction).open("comeback", to: [customer], at: Bench.now)
            try CoverageStore(transaction).stateComplete(
                [customer], asOf: Bench.now, provenance: .caller, at: Bench.now, in: scope)
            try Self.issue(transaction, customer, token, in: scope)
            let grant = Grant(id: .number(1), offerId: "comeback", grantedAt: Bench.now)
            try GrantStore(transaction).add(
                StoredGrant(grant, to: customer, reason: "promised to Zoë", actor: "key"), in: scope)
            let told = KeptNotification.fixture("u1") {
                $0.identifier = .originalTransactionId(Self.original)
                $0.stored.transactionId = Self.original
                $0.payload = "notified-zoe.b.c"
            }
            try NotificationStore(transaction).insert(told, at: Bench.now, in: scope)
            for subscription in [Self.original, "799"] {
                let data = #"{"transactionId":"\#(subscription)"}"#
                try EventStore(transaction).append(
                    .renewed, of: subscription, cause: subscription.rawValue, data: Array(data.utf8), at: Bench.now,
                    in: scope)
                try DueEventStore(transaction).replace(
                    of: subscription, with: [DueEvent(type: .graceEnding, dueAt: Bench.now, announced: Bench.now)],
                    beside: [],
                    at: Bench.now, in: scope)
            }
            for sql in Self.imported { try transaction.execute(Statement(sql)) }
            try APIKeyStore(transaction).insert(.fixture("k1"))
            try Self.keepAnswers(transaction)
            try Self.keepRetries(transaction)
        }
    }

    /// The answer of a decision, one that handed its signatures out again later, and one to somebody else of the same
    /// instant.
    private static func keepAnswers(_ transaction: any StoreTransaction) throws {
        let later = Bench.now.adding(milliseconds: 7)
        let kept: [(key: String, told: Int, at: Instant, earlier: LowercaseUUID?, words: String)] = [
            ("one", 8, Bench.now, nil, "kept answer of Zoë"), ("two", 1, later, .number(1), "kept answer of Zoë"),
            ("three", 5, Bench.now, nil, "kept answer of anna"),
        ]
        for answer in kept {
            let body = #"{"bundleId":"a","decisionId":"\#(LowercaseUUID.number(answer.told))","to":"\#(answer.words)"}"#
            try IdempotencyStore(transaction).keep(
                IdempotencyRecord(
                    requestDigest: Array(0..<32), status: 201, contentType: "application/json", location: nil,
                    body: body, answeredAt: answer.at),
                under: IdempotencyRecordKey(apiKeyId: "k1", route: "POST /v1/issued-offers", key: answer.key),
                onEarlier: answer.earlier)
        }
    }

    /// An event that waits to be sent to a webhook again.
    private static func keepRetries(_ transaction: any StoreTransaction) throws {
        let webhook = String(repeating: "a", count: 64)
        try WebhookStore(transaction).add(webhook)
        try transaction.execute(
            Statement(
                """
                INSERT INTO webhook_retry
                SELECT 1000 + id, ?1, id, 1, 9, 99, 8 FROM customer WHERE merged_into IS NULL
                """, webhook))
    }

    /// The records of imports.
    private static let imported = [
        """
        INSERT INTO import_run VALUES (1, 'transactions', 'operator', zeroblob(32), NULL, 9, 'closed', 100, 2, 1, 1, 1,
            0, '710000000000001', 0, 0, 0, 0, 0, 0, 0, NULL, 1, 10)
        """,
        """
        INSERT INTO import_run VALUES (2, 'transactions', 'operator', zeroblob(32), NULL, 9, 'applying', 100, 2, 1, 1, 1,
            0, '799', 0, 0, 0, 0, 0, 0, 0, NULL, 1, NULL)
        """,
        "INSERT INTO import_row VALUES (1, 2, '710000000000001', 1, 'transaction', x'7B7D', NULL, 'Zoë Überall')",
        "INSERT INTO import_row VALUES (2, 2, '799', 1, 'transaction', X'7B7D', NULL, 'anna')",
        "INSERT INTO import_refusal VALUES (2, 2, 'malformed', 'not the date of 710000000000001')",
        "INSERT INTO import_refusal VALUES (2, 3, 'malformed', 'not JSON')",
        """
        INSERT INTO import_customer SELECT 2, customer_id, value FROM customer_identifier
            WHERE value IN ('720000000000007', '799')
        """,
    ]

    /// An issued offer with two signings, a voided one, and refusals.
    private static func issue(
        _ transaction: any StoreTransaction, _ customer: CustomerNumber, _ token: AppAccountToken?,
        in scope: ScopeNumber
    ) throws {
        let issuedOffers = IssuedOfferStore(transaction)
        var issuedOffer = IssuedOffer.fixture(1, issued: start.adding(milliseconds: -1))
        issuedOffer.signUp = SignUp(
            appAccountToken: AppAccountToken("11111111-aaaa-4aaa-8aaa-111111111111"), customerId: "Zoë Überall")
        let record = DecisionRecord.fixture {
            $0.signals = ["mood": .text("signalled-mood")]
            $0.order.customerId = "Zoë Überall"
        }
        let signatures = [ArtefactFormat.v1, .v2].map { format in
            var signature = RecordedSignature.fixture(1, format: format)
            signature.appAccountToken = token
            signature.transactionId = "710000000000001"
            signature.artefact = "artefact-of-zoe"
            return signature
        }
        try issuedOffers.insert(
            issuedOffer, catalogRevision: 3, for: customer, subject: [customer], signatures: signatures, record: record,
            in: scope)
        let further = Signing(
            decisionId: .number(9), decidedAt: issuedOffer.issuedAt, customer: customer, catalogRevision: 3,
            record: record.stored, signatures: signatures)
        _ = try issuedOffers.addSigning(
            to: issuedOffer.id, further, expiresAt: issuedOffer.expiresAt, countsUntil: issuedOffer.countsUntil,
            at: issuedOffer.issuedAt,
            subject: [customer], in: scope)
        try RedemptionStore(transaction).record(of: customer, offers: [], at: Bench.now, in: scope)
        try issuedOffers.insert(
            .fixture(2, offer: "b"), catalogRevision: 3, for: customer, subject: [customer], in: scope)
        _ = try issuedOffers.void(.number(2), reason: "called about Zoë", release: false, at: Bench.now, in: scope)
        try refuse(transaction, customer, signatures[1], in: scope)
    }

    /// A refusal of the customer, and refusals of others, of which some name the customer.
    private static func refuse(
        _ transaction: any StoreTransaction, _ customer: CustomerNumber, _ signature: RecordedSignature,
        in scope: ScopeNumber
    ) throws {
        let (store, other) = (RefusalStore(transaction), CustomerNumber(rawValue: 1))
        var statement = signature
        statement.format = .introductoryEligibility
        statement.allowIntroductoryOffer = false
        try store.insert(.fixture(8, customer: customer, statement: statement), in: scope)
        let unknown = DecisionRecord.fixture { $0.order.customerId = "Zoë Überall" }
        try store.insert(.fixture(3, customer: nil, record: unknown), in: scope)
        func seen(_ identifiers: [TransactionId], _ customers: [CustomerNumber] = []) -> DecisionRecord {
            .fixture {
                $0.identifiers = SeenIdentifiers(originalTransactionIds: identifiers, appTransactionIds: [])
                $0.customers = customers
            }
        }
        try store.insert(.fixture(4, customer: other, record: seen(["710000000000001", "799"])), in: scope)
        try store.insert(.fixture(5, customer: other, record: seen(["799"], [other])), in: scope)
        var united = seen([], [other, customer])
        united.attributes = ["a": .text("favourite-team")]
        try store.insert(.fixture(6, customer: other, record: united), in: scope)
        // A number that begins as the customer's does, and the same in another place.
        var like = seen([], [other, CustomerNumber(rawValue: customer.rawValue * 10 + 9)])
        like.signals = ["n": .number(Double(customer.rawValue))]
        try store.insert(.fixture(7, customer: other, record: like), in: scope)
    }

    static func offered(
        _ id: TransactionId, original: TransactionId = original, day: Int64, offer: OfferIdentifier? = "comeback50",
        account: AppTransactionId? = nil, reason: TransactionReason = .purchase
    ) -> HistoryPayload {
        let transaction = Transaction.fixture(
            id, original: original, purchased: start.adding(milliseconds: day * Instant.Duration.day)
        ) {
            $0.offerType = offer == nil ? nil : .promotional
            $0.offerIdentifier = offer
            $0.offerPeriod = offer == nil ? nil : "P1M"
            $0.transactionReason = reason
            $0.appTransactionId = account
        }
        let bytes = "{\(id) \(original) \(day) \(offer?.rawValue ?? "-") \(account?.rawValue ?? "-")}"
        return HistoryPayload(.transaction(transaction), bytes: Array(bytes.utf8), provenance: .client)
    }

    /// Every row of a table as text, by columns.
    func rows(of table: Table, in transaction: any StoreTransaction) throws -> [[String: StoredValue]] {
        let columns = table.columns.map(\.name)
        return try transaction.rows(
            Statement("SELECT \(columns.joined(separator: ", ")) FROM \(table.name) ORDER BY 1, 2", values: [])
        ).map { Dictionary(uniqueKeysWithValues: zip(columns, $0.values)) }
    }

    func uses() async throws -> [Int64] {
        try await bench.database.read { transaction in
            try transaction.rows(Statement("SELECT redemptions FROM issued_offer ORDER BY sequence")).map {
                try $0.value(0)
            }
                + transaction.rows(Statement("SELECT amount FROM offer_counter ORDER BY offer_id")).map {
                    try $0.value(0)
                }
        }
    }

    func redemptions() async throws -> Int {
        let number = number
        return try await bench.database.read { try RedemptionStore($0).redemptions(of: number).count }
    }
}
