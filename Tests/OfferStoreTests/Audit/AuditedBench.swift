import OfferModel
import OfferTestSupport
import OpenSSLCrypto
import Testing

@testable import OfferStore

/// A ledger with every kind of row, told event and change of state, and what an attacker does to it.
struct AuditedBench {
    let bench: Bench
    let signer: OpenSSLSigningKey
    /// Whether two such ledgers are equal, so nothing in them is signed.
    let isUnsigned: Bool

    static let now = Bench.now

    /// - Parameter salt: what the digests of rows are made with, if the ledger is to be the same each time.
    init(_ driver: Driver = .memory, salt: [UInt8]? = nil) async throws {
        isUnsigned = salt != nil
        bench = try await Bench(driver)
        if let salt {
            try await bench.database.base.write {
                _ = try $0.execute(Statement("UPDATE audit_state SET digest_salt = ?1", salt))
            }
        }
        signer = try OpenSSLSigningKey.generate(toNewFile: bench.directory.path("audit.p8"), keyId: "AUDIT")
        try await fill()
        try await unlock()
    }

    /// Two issued offers with signings, one settled, one voided, and one moved by a merge; refusals with and without a
    /// signature; grants, pauses, catalogs, API keys, signing keys, and two checkpoints with events after each.
    private func fill() async throws {
        let scope = bench.scope
        let (first, second) = (try await bench.customer("1"), try await bench.customer("2"))
        try await issue(1, offer: "a", to: first)
        try await issue(2, offer: "b", to: first)
        try await issue(3, offer: "c", to: second)
        try await sign(2, nonce: 12, as: first)
        try await sign(3, nonce: 13, as: second)
        try await refuse(4, nonce: 14)
        try await checkpoint()
        try await write { transaction in
            _ = try IssuedOfferStore(transaction).void(
                .number(1), reason: "asked by phone", release: true, at: Self.now, in: scope)
            try IssuedOfferStore(transaction).settle([.number(2)], at: Self.now, in: scope)
            let catalogs = CatalogStore(transaction)
            for revision in 1...2 {
                try catalogs.apply(
                    CatalogRevision(
                        revision: Int64(revision), document: "document \(revision)", format: .yaml,
                        digest: String(repeating: "a", count: 64), actor: "key", message: "why", createdAt: Self.now),
                    expected: Int64(revision) - 1, in: scope)
            }
            let pauses = PauseStore(transaction)
            _ = try pauses.pause("a", actor: "key", at: Self.now, in: scope)
            _ = try pauses.pause(nil, actor: "key", at: Self.now, in: scope)
            _ = try pauses.resume("a", actor: "key", at: Self.now, in: scope)
            let grants = GrantStore(transaction)
            for number in 1...3 {
                let grant = Grant(id: .number(number), offerId: "a", grantedAt: Self.now)
                try grants.add(StoredGrant(grant, to: second, reason: "ticket \(number)", actor: "key"), in: scope)
            }
            try grants.use(.number(1), by: .number(3), at: Self.now, in: scope)
            _ = try grants.revoke(.number(2), actor: "key", at: Self.now, in: scope)
            for id in ["k1", "k2"] { try APIKeyStore(transaction).insert(.fixture(id)) }
            _ = try APIKeyStore(transaction).revoke("k1", at: Self.now)
            try SigningKeyLog(transaction).note(["app KEY": "signing"], at: Self.now)
        }
        try await bench.ingest([
            .bought("1", account: "shared", bytes: "x"), .bought("2", account: "shared", bytes: "y"),
        ])
        try await bench.ingest([.bought("3", account: "twin"), .bought("4"), .bought("4", account: "twin", bytes: "z")])
        try await redeem()
        try await erase()
        try await checkpoint()
        try await refuse(5, nonce: nil)
    }

    /// Uses of two offers that were not issued here.
    private func redeem() async throws {
        let scope = bench.scope
        for (id, product) in [("21", "com.example.pro.monthly"), ("22", "com.example.pro.yearly")] {
            let used = Transaction.fixture(TransactionId(id), original: TransactionId(id), purchased: Self.now) {
                $0.offerType = .promotional
                $0.offerIdentifier = "other"
                $0.offerPeriod = "P1M"
                $0.productId = ProductId(rawValue: product)
            }
            try await bench.ingest([HistoryPayload(.transaction(used), bytes: Array(id.utf8), provenance: .client)])
        }
        try await write { transaction in
            for row in try transaction.rows(
                Statement("SELECT DISTINCT customer_id FROM customer_identifier WHERE value IN ('21', '22')"))
            {
                try RedemptionStore(transaction).record(
                    of: CustomerNumber(rawValue: try row.value(0)), offers: [], at: Self.now, in: scope)
            }
        }
    }

    /// Two customers of whom nothing else is told.
    private func erase() async throws {
        // Both first: without that key nobody new is taken in once somebody was erased.
        let customers = [try await bench.customer("8"), try await bench.customer("9")]
        for customer in customers { _ = try await bench.erase([customer]) }
    }

    func write(_ body: @escaping @Sendable (any StoreTransaction) throws -> Void) async throws {
        try await bench.database.write(body)
    }

    private func issue(_ number: Int, offer: OfferId, to customer: CustomerNumber) async throws {
        let scope = bench.scope
        try await write { transaction in
            var issuedOffer = IssuedOffer.fixture(number, offer: offer)
            issuedOffer.cost = Money(milliunits: Int64(number) * 1_000, currency: "EUR")
            issuedOffer.signUp = SignUp(
                appAccountToken: number == 3 ? nil : .number(number),
                customerId: number == 2 ? nil : CustomerId(rawValue: "user-\(number)"))
            try IssuedOfferStore(transaction).insert(
                issuedOffer, catalogRevision: 3, for: customer, subject: [customer],
                signatures: number == 2 ? Self.both(number) : [.fixture(number)], in: scope)
        }
    }

    private static func both(_ number: Int) -> [RecordedSignature] {
        [.fixture(100 + number, format: .v1), .fixture(number)]
    }

    private func sign(_ number: Int, nonce: Int, as customer: CustomerNumber) async throws {
        let scope = bench.scope
        try await write { transaction in
            let later = Self.now.adding(milliseconds: 5)
            _ = try IssuedOfferStore(transaction).addSigning(
                to: .number(number),
                .fixture(
                    nonce, customer: customer, at: later,
                    signatures: number == 2 ? Self.both(nonce) : [.fixture(nonce, at: later)]),
                productId: "com.example.pro.yearly", expiresAt: later.adding(milliseconds: Instant.Duration.day),
                countsUntil: later.adding(milliseconds: Instant.Duration.day * 2), at: later, subject: [], in: scope)
        }
    }

    private func refuse(_ number: Int, nonce: Int?) async throws {
        let scope = bench.scope
        try await write { transaction in
            let statement = nonce.map { RecordedSignature.fixture($0, format: .introductoryEligibility, allow: false) }
            try RefusalStore(transaction).insert(.fixture(number, customer: nil, statement: statement), in: scope)
        }
    }

    func checkpoint() async throws {
        let (signer, isUnsigned) = (signer, isUnsigned)
        try await write { transaction in
            _ = try CheckpointStore(transaction).add(
                at: Self.now,
                fingerprint: isUnsigned ? String(repeating: "f", count: 64) : signer.publicKey.fingerprint,
                sign: { isUnsigned ? $0 : try signer.derSignature(of: $0) })
        }
    }

    var verification: LedgerVerification {
        let key = signer.publicKey
        return LedgerVerification(digest: OpenSSLDigest(), key: Bench.digestKey) { checkpoint in
            guard checkpoint.keyFingerprint == key.fingerprint else { return .unknownKey }
            return key.isValid(derSignature: checkpoint.signature, of: checkpoint.message) ? .valid : .invalid
        }
    }

    func verify() async throws -> LedgerReport {
        let verification = verification
        return try await bench.database.read { try verification.verify($0) }
    }

    private struct Undone<Value: Sendable>: Error {
        let value: Value
    }

    /// Runs a body that writes past every store, and undoes it.
    func undone<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        do {
            return try await bench.database.base.write { transaction in
                for sql in TestStore.breaking() { _ = try transaction.rows(Statement(sql, values: [])) }
                throw Undone(value: try body(transaction))
            }
        } catch let undone as Undone<Value> {
            return undone.value
        }
    }

    /// Changes the database as somebody with the file does, verifies, and undoes the change.
    ///
    /// - Returns: what was found; `nil` if nothing was.
    func found(after statements: [String]) async throws -> BrokenRow? {
        let verification = verification
        return try await undone { transaction in
            for sql in statements { _ = try transaction.rows(Statement(sql, values: [])) }
            do {
                _ = try verification.verify(transaction)
                return nil
            } catch let broken as BrokenRow {
                return broken
            }
        }
    }

    /// Nothing of the schema stops somebody who has the file; in PostgreSQL, one transaction can do without triggers.
    private func unlock() async throws {
        if TestStore.isPostgres { return }
        try await bench.database.base.write { transaction in
            for table in ["audit_event", "audit_checkpoint"] {
                for action in ["update", "delete"] {
                    try transaction.execute(Statement("DROP TRIGGER \(table)_\(action)"))
                }
            }
        }
    }

    func texts(_ sql: String) async throws -> [String] {
        try await bench.database.read { try $0.rows(Statement(sql, values: [])).map { try $0.value(0) } }
    }
}

/// A table of totals, which rows of other tables add up to.
struct CountedTable: CustomStringConvertible, Sendable {
    let name: String
    /// The key of a row.
    let key: String
    /// A column that tells rows apart.
    let other: String

    var description: String { name }

    static let all = [
        CountedTable(name: "offer_counter", key: "scope_id || '/' || offer_id || '/' || unit", other: "unit"),
        CountedTable(
            name: "redemption_counter",
            key: "scope_id || '/' || offer_type || '/' || offer_identifier || '/' || subscription_group_identifier "
                + "|| '/' || product_id", other: "product_id"),
    ]
}

/// A table as an attacker sees it.
struct AttackedTable: CustomStringConvertible, Sendable {
    let name: String
    /// The key of a row.
    let key: String
    /// A column that can be exchanged between two rows so that each stands in the place of the other.
    let place: String

    var description: String { name }

    var columns: [Column] {
        get throws { try #require(Table.all.first { $0.name == name }).columns }
    }

    static let all =
        [AttackedTable(name: "audit_event", key: "sequence", place: "sequence")]
        + LedgerTable.all.map {
            AttackedTable(name: $0.name, key: $0.key, place: $0.name == "catalog_revision" ? "revision" : $0.key)
        }
}
