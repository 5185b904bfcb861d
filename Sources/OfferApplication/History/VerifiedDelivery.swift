import AppStoreData
import OfferModel
import OfferSigning
import OfferStore

/// A delivery after every JWS in it was checked.
struct VerifiedDelivery: Sendable {
    /// One JWS of the request.
    struct Entry: Sendable {
        var pointer: String
        var result: Result<HistoryPayload, SignedDataRefusal>
    }

    /// One entry a JWS, in the order of the request.
    var entries: [Entry]

    private let isVouchedFor: Bool

    /// Whether the backend vouches that nothing is missing and nothing was refused: what was refused would be a gap, in
    /// which an absence proves nothing (invariant 3).
    var isComplete: Bool { isVouchedFor && refused.isEmpty }

    /// The payloads to keep.
    var payloads: [HistoryPayload] {
        entries.compactMap { try? $0.result.get() }
    }

    /// What was not believed.
    var refused: [RefusedData] {
        entries.compactMap { entry in
            guard case .failure(let refusal) = entry.result else { return nil }
            return RefusedData(pointer: entry.pointer, refusal: refusal)
        }
    }

    /// The identifiers that the payloads prove. Renewal info names no app, so it proves nobody by itself.
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

    /// The newest date of what was verified to Apple's own root: its clock showed that, so ours must not be far behind.
    let newestDateOfApple: Instant?

    /// Checks every JWS of a delivery; one that is refused does not keep the others from being checked.
    ///
    /// - Parameter provenance: how it reached us.
    init(_ delivery: SignedDelivery, reader: SignedDataReader, now: Instant, provenance: Provenance = .client) {
        func entry(_ pointer: String, _ read: () throws(SignedDataRefusal) -> HistoryPayload) -> Entry {
            do throws(SignedDataRefusal) {
                return Entry(pointer: pointer, result: .success(try read()))
            } catch {
                return Entry(pointer: pointer, result: .failure(error))
            }
        }
        var newest: Instant?
        func payload<Payload>(_ content: HistoryPayload.Content, of verified: Verified<Payload>) -> HistoryPayload {
            if verified.anchor == .apple { newest = max(newest ?? verified.signedDate, verified.signedDate) }
            return HistoryPayload(content, bytes: verified.payloadBytes, provenance: provenance)
        }
        var entries: [Entry] = []
        isVouchedFor = delivery.historyComplete
        for (index, jws) in delivery.signedTransactions.enumerated() {
            entries.append(
                entry("/signedTransactions/\(index)") { () throws(SignedDataRefusal) in
                    let verified = try reader.transaction(jws, now: now)
                    return payload(.transaction(verified.payload), of: verified)
                })
        }
        for (index, jws) in delivery.signedRenewalInfo.enumerated() {
            entries.append(
                entry("/signedRenewalInfo/\(index)") { () throws(SignedDataRefusal) in
                    let verified = try reader.renewalInfo(jws, now: now)
                    return payload(.renewalInfo(verified.payload), of: verified)
                })
        }
        if let jws = delivery.signedAppTransaction {
            entries.append(
                entry("/signedAppTransaction") { () throws(SignedDataRefusal) in
                    let verified = try reader.appTransaction(jws, now: now)
                    guard verified.payload.appTransactionId != nil else {
                        throw SignedDataRefusal(
                            .malformedPayload, "the app transaction has no `appTransactionId`, so it names nobody")
                    }
                    return payload(.appTransaction(verified.payload), of: verified)
                })
        }
        self.entries = entries
        newestDateOfApple = newest
    }
}
