import OfferEligibility
import OfferModel
import OfferStore
import Testing

@Suite("Signatures and decisions")
struct SignatureTests {
    @Test("signatures come back as they were stored", arguments: Driver.allCases)
    func signatures(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let customer = try await bench.customer()
        let scope = bench.scope
        var v1 = RecordedSignature.fixture(11, slot: .number(1), decision: .number(21), format: .v1)
        v1.appAccountToken = nil
        v1.transactionId = nil
        let v2 = RecordedSignature.fixture(12, slot: .number(1), decision: .number(21))
        let refused = RecordedSignature.fixture(
            13, slot: nil, decision: .number(22), format: .introductoryEligibility, allow: false)
        let firstSignature = v1
        let (ofSlot, ofRefusal, decisions) = try await bench.database.write { transaction in
            let signatures = SignatureStore(transaction)
            let decisions = DecisionStore(transaction)
            try SlotStore(transaction).insert(
                .fixture(1), catalogRevision: 1, for: customer, subject: [customer], in: scope)
            try decisions.insert(.fixture(21, customer: customer, issuedOffer: .number(1)), in: scope)
            try decisions.insert(.fixture(22, customer: customer, kind: .refusal), in: scope)
            for signature in [firstSignature, v2, refused] { try signatures.insert(signature, in: scope) }
            return (
                try signatures.signatures(of: .number(1), in: scope),
                try signatures.signatures(decision: .number(22), in: scope),
                try decisions.newest(of: customer, limit: 10)
            )
        }
        #expect(ofSlot == [v1, v2])
        #expect(ofRefusal == [refused])
        #expect(
            decisions == [
                .fixture(22, customer: customer, kind: .refusal),
                .fixture(21, customer: customer, issuedOffer: .number(1)),
            ])
    }

    @Test(
        "a nonce is refused a second time, in any scope, and nothing of that issue is kept (invariant 8)",
        arguments: Driver.allCases)
    func nonce(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let customer = try await bench.customer()
        let scopes = [bench.scope, bench.other]
        let issue = { (number: Int, scope: ScopeNumber) in
            try await bench.database.write { transaction in
                try SlotStore(transaction).insert(
                    .fixture(number, offer: OfferId("offer-\(number)")), catalogRevision: 1, for: customer,
                    subject: [customer], in: scope)
                try DecisionStore(transaction).insert(
                    .fixture(number, customer: customer, issuedOffer: .number(number)), in: scope)
                try SignatureStore(transaction).insert(
                    .fixture(99, slot: .number(number), decision: .number(number)), in: scope)
            }
        }
        try await issue(1, scopes[0])
        await #expect(throws: StoreError.constraint("signature.nonce")) { try await issue(2, scopes[0]) }
        await #expect(throws: StoreError.constraint("signature.nonce")) { try await issue(3, scopes[1]) }
        let kept = try await bench.database.read { try SlotStore($0).slots(of: [customer]) }
        #expect(kept.map(\.id) == [.number(1)])
    }

    @Test("a signature without a slot can only be an introductory false", arguments: Driver.allCases)
    func slotless(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let scope = bench.scope
        for (format, allow) in [(RecordedSignature.Format.v2, nil), (.introductoryEligibility, true)]
            as [(RecordedSignature.Format, Bool?)]
        {
            await #expect(throws: StoreError.self) {
                try await bench.database.write { transaction in
                    try DecisionStore(transaction).insert(.fixture(1, customer: nil, kind: .refusal), in: scope)
                    try SignatureStore(transaction).insert(
                        .fixture(2, slot: nil, decision: .number(1), format: format, allow: allow), in: scope)
                }
            }
        }
    }
}
