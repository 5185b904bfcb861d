import AppStoreData
import OfferAPI
import OfferModel
import OfferSigning
import OfferStore

/// A delivery after every JWS in it was checked.
struct VerifiedDelivery: Sendable {
    struct Entry: Sendable {
        var pointer: String
        var result: Result<HistoryPayload, SignedDataRefusal>
    }

    /// One entry a JWS, in the order of the request; none for what was not looked at after a refusal.
    var entries: [Entry]

    /// Whether the request states that nothing is missing.
    let isVouchedFor: Bool

    /// Whether the backend vouches that nothing is missing and nothing was refused: what was refused would be a gap, in
    /// which an absence proves nothing (invariant 3).
    var isComplete: Bool { isVouchedFor && refused.isEmpty }

    var payloads: [HistoryPayload] {
        entries.compactMap { try? $0.result.get() }
    }

    var refused: [RefusedData] {
        entries.compactMap { entry in
            guard case .failure(let refusal) = entry.result else { return nil }
            return RefusedData(pointer: entry.pointer, refusal: refusal)
        }
    }

    /// The identifiers that the payloads prove. Renewal info names no app, so it proves no customer by itself.
    var proven: [ProvenIdentifier] {
        payloads.flatMap { payload -> [ProvenIdentifier] in
            switch payload.content {
            case .transaction(let transaction):
                [.originalTransactionId(transaction.originalTransactionId)]
            case .renewalInfo(let info):
                [.originalTransactionId(info.originalTransactionId)]
            case .appTransaction(let transaction):
                transaction.appTransactionId.map { [.appTransactionId($0)] } ?? []
            }
        }
    }

    /// The same with the Apple Account of each transaction: finds the customer where the data is not kept, which would
    /// have linked them.
    var identifying: [ProvenIdentifier] {
        proven
            + payloads.compactMap { payload in
                guard case .transaction(let transaction) = payload.content else { return nil }
                return transaction.appTransactionId.map { .appTransactionId($0) }
            }
    }

    /// The identifier by which a customer of this data would be stored: the Apple Account before a subscription.
    var rolloutKey: String? {
        var customer = CustomerIdentifiers()
        for identifier in identifying {
            switch identifier {
            case .appTransactionId(let id): customer.appTransactionId = customer.appTransactionId ?? id
            case .originalTransactionId(let id): customer.originalTransactionId = customer.originalTransactionId ?? id
            }
        }
        return customer.rolloutKey
    }

    /// Whether any of the payloads names a customer of the app.
    var namesCustomer: Bool {
        payloads.contains { payload in
            if case .renewalInfo = payload.content { false } else { true }
        }
    }

    /// The newest date of what was verified to Apple's own root: its clock showed that, so ours must not be far behind.
    let newestDateOfApple: Instant?

    /// What is left to do for a JWS that was examined: the payload to keep, and its date if it was verified to Apple's
    /// own root.
    private typealias Rest = () throws(SignedDataRefusal) -> (payload: HistoryPayload, dateOfApple: Instant?)

    /// Checks the JWS of a delivery: first what costs little of each, then the signatures. Other tasks get their turn
    /// after each.
    ///
    /// - Parameters:
    ///   - stopsAtRefusal: whether one that is refused refuses the request: then those after it are not verified.
    ///     Otherwise it does not keep the others from being checked.
    init(
        _ delivery: SignedDelivery, reader: SignedDataReader, now: Instant, provenance: Provenance = .client,
        stopsAtRefusal: Bool = false
    ) async {
        isVouchedFor = delivery.historyComplete
        var newest: Instant?
        var (entries, isRefused) = ([Entry](), false)
        for (pointer, examined) in await Self.examine(
            delivery, reader: reader, now: now, provenance: provenance)
        {
            do throws(SignedDataRefusal) {
                let rest = try examined.get()
                if stopsAtRefusal, isRefused { continue }
                await Task.yield()
                let (payload, date) = try rest()
                if let date { newest = max(newest ?? date, date) }
                entries.append(Entry(pointer: pointer, result: .success(payload)))
            } catch {
                isRefused = true
                entries.append(Entry(pointer: pointer, result: .failure(error)))
            }
        }
        self.entries = entries
        newestDateOfApple = newest
    }

    private static func examine(
        _ delivery: SignedDelivery, reader: SignedDataReader, now: Instant, provenance: Provenance
    ) async -> [(pointer: String, examined: Result<Rest, SignedDataRefusal>)] {
        func rest<Payload>(
            _ verified: Verified<Payload>, _ content: HistoryPayload.Content
        ) -> (payload: HistoryPayload, dateOfApple: Instant?) {
            (
                HistoryPayload(content, bytes: verified.payloadBytes, provenance: provenance),
                verified.anchor == .apple ? verified.signedDate : nil
            )
        }
        var examined: [(pointer: String, examined: Result<Rest, SignedDataRefusal>)] = []
        for (index, jws) in delivery.signedTransactions.enumerated() {
            await Task.yield()
            let result = Self.result { () throws(SignedDataRefusal) in
                let data = try reader.examine(transaction: jws, now: now)
                return { () throws(SignedDataRefusal) in
                    let verified = try data.verify()
                    return rest(verified, .transaction(verified.payload))
                }
            }
            examined.append(("/signedTransactions/\(index)", result))
        }
        for (index, jws) in delivery.signedRenewalInfo.enumerated() {
            await Task.yield()
            let result = Self.result { () throws(SignedDataRefusal) in
                let data = try reader.examine(renewalInfo: jws, now: now)
                return { () throws(SignedDataRefusal) in
                    let verified = try data.verify()
                    return rest(verified, .renewalInfo(verified.payload))
                }
            }
            examined.append(("/signedRenewalInfo/\(index)", result))
        }
        if let jws = delivery.signedAppTransaction {
            let result = Self.result { () throws(SignedDataRefusal) in
                let data = try reader.examine(appTransaction: jws, now: now)
                return { () throws(SignedDataRefusal) in
                    let verified = try data.verify()
                    guard verified.payload.appTransactionId != nil else {
                        throw SignedDataRefusal(
                            .malformedPayload,
                            "the app transaction has no `appTransactionId`, so it identifies no customer")
                    }
                    return rest(verified, .appTransaction(verified.payload))
                }
            }
            examined.append(("/signedAppTransaction", result))
        }
        return examined
    }

    private static func result(_ examine: () throws(SignedDataRefusal) -> Rest) -> Result<Rest, SignedDataRefusal> {
        do throws(SignedDataRefusal) {
            return .success(try examine())
        } catch {
            return .failure(error)
        }
    }
}
