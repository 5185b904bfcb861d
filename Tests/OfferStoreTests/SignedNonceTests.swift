import OfferModel
import OfferTestSupport
import Testing

@testable import OfferStore

@Suite("A signature found by its nonce")
struct SignedNonceTests {
    /// A signature as it was recorded, and where.
    private struct Made {
        var signature: RecordedSignature
        var issuedOffer: LowercaseUUID?
    }

    /// Signings in the order of their commits, whose instants are in another: a request is decided up to a minute before
    /// it is committed, a refusal any time before, and the clock is set back by up to days.
    private struct Ledger {
        var random: SeededGenerator
        var clock = Bench.now
        var made: [Made] = []
        private var open: [IssuedOffer] = []

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
        }

        private mutating func id(at instant: Instant) -> LowercaseUUID {
            LowercaseUUID(
                version7At: instant, random: (0..<10).map { _ in UInt8.random(in: .min ... .max, using: &random) })
        }

        private mutating func signature(_ format: ArtefactFormat, at instant: Instant) -> RecordedSignature {
            var signature = RecordedSignature.fixture(0, format: format, at: instant)
            signature.nonce = id(at: instant)
            signature.appAccountToken = nil
            return signature
        }

        mutating func commit(of customer: CustomerNumber, in scope: ScopeNumber, _ transaction: any StoreTransaction)
            throws
        {
            if Int.random(in: 0..<20, using: &random) == 0 {
                clock = clock.adding(milliseconds: -Int64.random(in: 0..<200_000_000, using: &random))
                try StoreClock(transaction).reset(to: clock)
            }
            clock = clock.adding(milliseconds: Int64.random(in: 0..<20_000, using: &random))
            let trail = Int64.random(in: 0...60_000, using: &random)
            let store = IssuedOfferStore(transaction)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let now = clock.adding(milliseconds: -trail * 100)
                var statement = signature(.introductoryEligibility, at: now)
                statement.allowIntroductoryOffer = false
                var refusal = Refusal.fixture(0, customer: customer, statement: statement)
                (refusal.id, refusal.decidedAt) = (id(at: now), now)
                try RefusalStore(transaction).insert(refusal, in: scope)
                made.append(Made(signature: statement, issuedOffer: nil))
            case 1 where !open.isEmpty:
                let now = clock.adding(milliseconds: -trail)
                guard let offer = open.randomElement(using: &random) else { return }
                let signatures = [signature(.v1, at: now), signature(.v2, at: now)]
                var signing = Signing.fixture(0, customer: customer, at: now, signatures: signatures)
                signing.decisionId = id(at: now)
                let number = try store.addSigning(
                    to: offer.id, signing, expiresAt: offer.expiresAt, countsUntil: offer.countsUntil, at: now,
                    subject: [customer], in: scope)
                // One that has passed meanwhile takes none.
                if number != nil { made += signatures.map { Made(signature: $0, issuedOffer: offer.id) } }
            default:
                let now = clock.adding(milliseconds: -trail)
                var offer = IssuedOffer.fixture(0, offer: OfferId("offer-\(made.count)"), issued: now)
                offer.id = id(at: now)
                let signature = signature(Bool.random(using: &random) ? .v1 : .v2, at: now)
                var signing = Signing.fixture(0, customer: customer, at: now, signatures: [signature])
                signing.decisionId = id(at: now)
                try store.insert(offer, by: signing, subject: [customer], in: scope)
                open.append(offer)
                made.append(Made(signature: signature, issuedOffer: offer.id))
            }
            try StoreClock(transaction).advance(to: clock)
        }
    }

    @Test(
        "is found in whatever order the rows were committed, and after a clock that was set back", arguments: 1...20)
    func anyOrder(seed: Int) async throws {
        let bench = try await Bench()
        let (scope, other, customer) = (bench.scope, bench.other, try await bench.customer())
        let made = try await bench.database.write { transaction in
            var ledger = Ledger(seed: UInt64(seed))
            for _ in 0..<200 { try ledger.commit(of: customer, in: scope, transaction) }
            return ledger.made
        }
        #expect(made.count > 150)
        try await bench.database.read { transaction in
            let store = IssuedOfferStore(transaction)
            for (place, made) in made.enumerated() {
                let found = try store.signature(nonce: made.signature.nonce, in: scope)
                #expect(found?.signedAt == made.signature.timestamp, "seed \(seed), signature \(place)")
                #expect(found?.issuedOfferId == made.issuedOffer, "seed \(seed), signature \(place)")
                #expect(try store.signature(nonce: made.signature.nonce, in: other) == nil)
            }
        }
    }

    @Test("one that was never made is not found, not even at an instant that has one")
    func unknown() async throws {
        let bench = try await Bench()
        let (scope, customer) = (bench.scope, try await bench.customer())
        let known = LowercaseUUID(version7At: Bench.now, random: [UInt8](repeating: 1, count: 10))
        let found = try await bench.database.write { transaction in
            var offer = IssuedOffer.fixture(0)
            offer.id = LowercaseUUID(version7At: Bench.now, random: [UInt8](repeating: 2, count: 10))
            var signature = RecordedSignature.fixture(0)
            signature.nonce = known
            let store = IssuedOfferStore(transaction)
            try store.insert(
                offer, by: .fixture(0, customer: customer, signatures: [signature]), subject: [customer], in: scope)
            return try [
                known, LowercaseUUID(version7At: Bench.now, random: [UInt8](repeating: 3, count: 10)),
                LowercaseUUID(version7At: Bench.now.adding(milliseconds: 1), random: [UInt8](repeating: 1, count: 10)),
                .number(1),
            ].map { try store.signature(nonce: $0, in: scope) != nil }
        }
        #expect(found == [true, false, false, false])
    }
}
