import OfferEligibility
public import OfferModel
import OfferStore

/// Issued offers with what the audit holds of them, for accounting.
public struct IssuedOfferExport: Sendable {
    let database: any StoreDatabase
    let catalogs: CompiledCatalogs
    let clock: RequestClock

    public struct Selection: Sendable, Hashable {
        public var offerId: OfferId?
        /// Only those issued then or later.
        public var from: Instant?
        /// Only those issued before.
        public var to: Instant?

        public init(offerId: OfferId? = nil, from: Instant? = nil, to: Instant? = nil) {
            self.offerId = offerId
            self.from = from
            self.to = to
        }
    }

    /// A page of issued offers in the order they were issued.
    ///
    /// - Throws: `unknownOffer` for an offer that the catalog in force does not have and that was never issued,
    ///   `unusableParameter` for a range that is empty, and what the store throws: nothing to export is no answer to a
    ///   mistyped question.
    public func page(
        _ selection: Selection, limit: Int, after: Int64?, caller: Caller
    ) async throws -> ExportedOfferPage {
        try Self.check(selection)
        return try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else {
                if let offerId = selection.offerId { throw RequestError.unknownOffer(offerId) }
                return ExportedOfferPage(items: [], next: nil)
            }
            if let offerId = selection.offerId,
                try SlotStore(transaction).firstIssued(of: offerId, in: number) == nil,
                try !catalogs.offersInForce(of: number, in: caller.scope, transaction).contains(where: {
                    $0.id == offerId
                })
            {
                throw RequestError.unknownOffer(offerId)
            }
            // One more than asked for tells whether there is another page.
            let found = try SlotStore(transaction).page(
                offer: selection.offerId, from: selection.from, to: selection.to, after: after, limit: limit + 1,
                in: number)
            let shown = Array(found.prefix(limit))
            let now = try clock.instantOfLooking(transaction)
            let offers = try IssuedOfferRows(shown, in: number, transaction).offers(scope: caller.scope, at: now)
            let states = Dictionary(offers.map { ($0.id, $0.state) }) { first, _ in first }
            let items = try shown.map { issued in
                ExportedOffer(
                    id: issued.slot.id, offerId: issued.slot.offerId, offerType: issued.slot.offerType,
                    delivery: issued.slot.delivery, offerIdentifier: issued.slot.offerIdentifier,
                    productId: issued.slot.productId, state: states[issued.slot.id] ?? .open,
                    issuedAt: issued.slot.issuedAt, expiresAt: issued.slot.expiresAt, signings: issued.slot.signings,
                    voidedAt: issued.slot.voidedAt, catalogRevision: Int(issued.catalogRevision),
                    proof: try CheckpointStore(transaction).proof(of: issued).map(IssuedOfferProof.init))
            }
            return ExportedOfferPage(items: items, next: found.count > limit ? shown.last?.sequence : nil)
        }
    }

    private static func check(_ selection: Selection) throws(RequestError) {
        guard let from = selection.from, let to = selection.to, to <= from else { return }
        throw .unusableParameter(
            name: "to", detail: "the range ends at `\(to)`, which is not after its beginning, `\(from)`",
            hint: "a range holds what was issued from `from` on and before `to`")
    }
}

/// An issued offer without its signatures, with what the audit holds of it.
public struct ExportedOffer: Sendable, Hashable {
    public var id: LowercaseUUID
    public var offerId: OfferId
    public var offerType: OfferType
    public var delivery: Delivery
    /// Apple's name of the offer; absent for introductory ones.
    public var offerIdentifier: OfferIdentifier?
    public var productId: ProductId
    public var state: SlotState
    public var issuedAt: Instant
    public var expiresAt: Instant
    public var signings: Int
    public var voidedAt: Instant?
    public var catalogRevision: Int
    /// What the audit holds; absent if it holds nothing: then the ledger is broken.
    public var proof: IssuedOfferProof?
}

public struct ExportedOfferPage: Sendable, Hashable {
    public var items: [ExportedOffer]
    /// Where the next page begins; absent on the last.
    public var next: Int64?
}

/// The event that recorded an issued offer; hashes and digests in hexadecimal.
public struct IssuedOfferProof: Sendable, Hashable {
    public struct Checkpoint: Sendable, Hashable {
        public var number: Int64
        public var eventSequence: Int64
        public var head: String
        public var signedAt: Instant
        public var keyFingerprint: String
        /// ECDSA over P-256 with SHA-256, as DER.
        public var signature: String
    }

    public var eventSequence: Int64
    public var eventHash: String
    public var previousHash: String
    public var rowDigest: String
    /// The first checkpoint that signs the event; absent while there is none.
    public var checkpoint: Checkpoint?

    init(_ proof: LedgerProof) {
        eventSequence = proof.eventSequence
        eventHash = Hexadecimal.lowercase(proof.eventHash)
        previousHash = Hexadecimal.lowercase(proof.previousHash)
        rowDigest = Hexadecimal.lowercase(proof.rowDigest)
        checkpoint = proof.checkpoint.map {
            Checkpoint(
                number: $0.number, eventSequence: $0.eventSequence, head: Hexadecimal.lowercase($0.head),
                signedAt: $0.signedAt, keyFingerprint: $0.keyFingerprint,
                signature: Hexadecimal.lowercase($0.signature))
        }
    }
}
