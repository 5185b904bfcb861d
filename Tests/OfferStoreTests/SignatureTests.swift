import OfferModel
import Testing

@testable import OfferStore

@Suite("Signings and refusals")
struct SignatureTests {
    private static let combinations: [[ArtefactFormat]] = [
        [.v1], [.v2], [.v1, .v2], [.introductoryEligibility], [],
    ]

    private static func signing(
        _ number: Int, _ formats: [ArtefactFormat], for customer: CustomerNumber, namesPerson: Bool
    ) -> Signing {
        let instant = Bench.now.adding(milliseconds: Int64(number))
        let signatures = formats.enumerated().map { place, format in
            var signature = RecordedSignature.fixture(
                10 * number + place, format: format, allow: format == .introductoryEligibility ? true : nil, at: instant
            )
            signature.artefact = "artefact \(number) \(format)"
            if !namesPerson { (signature.appAccountToken, signature.transactionId) = (nil, nil) }
            return signature
        }
        return .fixture(number, customer: customer, at: instant, signatures: signatures)
    }

    @Test("signings come back as they were stored, the earliest first", arguments: Driver.allCases, combinations)
    func signings(driver: Driver, formats: [ArtefactFormat]) async throws {
        let bench = try await Bench(driver)
        let customer = try await bench.customer()
        let scope = bench.scope
        let signings = [
            Self.signing(1, formats, for: customer, namesPerson: true),
            Self.signing(2, formats.reversed(), for: customer, namesPerson: false),
            Self.signing(3, formats, for: customer, namesPerson: true),
        ]
        let (found, newest, earlier) = try await bench.database.write { transaction in
            let issuedOffers = IssuedOfferStore(transaction)
            var issuedOffer = IssuedOffer.fixture(1, issued: signings[0].decidedAt)
            if formats.isEmpty { issuedOffer.delivery = .appStore }
            if formats == [.introductoryEligibility] { issuedOffer.delivery = .introductoryEligibility }
            try issuedOffers.insert(issuedOffer, by: signings[0], subject: [customer], in: scope)
            for signing in signings.dropFirst() {
                _ = try issuedOffers.addSigning(
                    to: issuedOffer.id, signing, expiresAt: issuedOffer.expiresAt, countsUntil: issuedOffer.countsUntil,
                    at: signing.decidedAt, subject: [customer], in: scope)
            }
            let issued = try #require(try issuedOffers.issuedOffer(issuedOffer.id, in: scope))
            return (
                try issuedOffers.signings(of: issued), try issuedOffers.newestSigning(of: issued),
                try issuedOffers.newestSigning(of: issued, by: signings[1].decidedAt)
            )
        }
        // A row has a place for each format, V1 before the others.
        let expected = signings.map { signing in
            var signing = signing
            signing.signatures.sort { $0.format == .v1 && $1.format != .v1 }
            return signing
        }
        #expect(found == expected)
        #expect(newest == expected[2])
        #expect(earlier == expected[1])
    }

    @Test("a refusal comes back as it was stored, with its statement or without", arguments: Driver.allCases)
    func refusals(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let customer = try await bench.customer()
        let (scope, other) = (bench.scope, bench.other)
        let statement = RecordedSignature.fixture(13, format: .introductoryEligibility, allow: false)
        var undetermined = Refusal.fixture(23, customer: nil)
        undetermined.outcome = .undetermined
        let refusals = [
            Refusal.fixture(21, customer: customer), .fixture(22, customer: customer, statement: statement),
            undetermined,
        ]
        try await bench.database.write { transaction in
            for refusal in refusals { try RefusalStore(transaction).insert(refusal, in: scope) }
        }
        for refusal in refusals {
            let found = try await bench.database.read { transaction in
                (
                    try RefusalStore(transaction).refusal(refusal.id, in: scope),
                    try RefusalStore(transaction).refusal(refusal.id, in: other),
                    try RefusalStore(transaction).hasRecord(of: refusal.id, in: scope)
                )
            }
            #expect(found.0 == refusal)
            #expect(found.1 == nil)
            #expect(found.2)
        }
    }

    @Test("a signature without an issued offer can only be an introductory false", arguments: Driver.allCases)
    func issuedOfferless(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let scope = bench.scope
        for (format, allow) in [(ArtefactFormat.v2, nil), (.v1, false), (.introductoryEligibility, true)]
            as [(ArtefactFormat, Bool?)]
        {
            await #expect(throws: StoreError.constraint("refusal.jws")) {
                try await bench.database.write { transaction in
                    try RefusalStore(transaction).insert(
                        .fixture(1, customer: nil, statement: .fixture(2, format: format, allow: allow)), in: scope)
                }
            }
        }
    }

    @Test("a nonce with capital letters is refused by the rows themselves (invariant 8)", arguments: Driver.allCases)
    func capitals(driver: Driver) async throws {
        let audited = try await AuditedBench(driver)
        for table in ["issued_offer", "signing", "refusal"] {
            for column in table == "refusal" ? ["jws_nonce"] : ["v1_nonce", "jws_nonce"] {
                await #expect(throws: StoreError.self, "\(table).\(column)") {
                    try await audited.bench.database.base.write {
                        try $0.execute(
                            Statement(
                                """
                                UPDATE \(table) SET \(column) = 'ABCDEF' || substr(\(column), 7)
                                WHERE \(column) IS NOT NULL
                                """, values: []))
                    }
                }
            }
        }
    }
}
