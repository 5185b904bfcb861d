import OfferStore

/// Whom a request was found to name, and when: who was erased since then is not asked about again in the same request,
/// whose answer would be recorded with identifiers that were to be forgotten.
struct SeenSubject: Sendable, Hashable {
    let customers: [CustomerNumber]
    /// The newest event that was seen then.
    let sequence: Int64

    init(customers: [CustomerNumber], sequence: Int64) {
        self.customers = customers
        self.sequence = sequence
    }

    init(_ subject: Subject, _ transaction: any StoreTransaction) throws {
        self.init(customers: subject.customers, sequence: try StoreClock(transaction).newestSequence())
    }

    /// - Throws: ``RequestError/busy`` if one of them was erased, and what the store throws.
    func requireHeld(_ transaction: any StoreTransaction) throws {
        guard try !ErasureStore(transaction).isErased(customers, after: sequence) else { throw RequestError.busy }
    }
}
