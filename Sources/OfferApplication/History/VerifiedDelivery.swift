import AppStoreData
import OfferAPI
import OfferModel
import OfferSigning
import OfferStore

/// A delivery after every JWS in it was checked.
struct VerifiedDelivery: Sendable {
    struct Entry: Sendable {
        var pointer: String
        var outcome: Outcome
    }

    enum Outcome: Sendable {
        case verified(HistoryPayload)
        case refused(SignedDataRefusal)
        /// Apple's own, and of no use: it says nothing false, so the rest of the request is answered without it. The
        /// refusal is for a request that has nothing else.
        case ignored(SignedDataRefusal)
    }

    /// One entry a JWS, in the order of the request; none for what was not looked at after a refusal.
    var entries: [Entry]

    /// Whether the request states that nothing is missing.
    let isVouchedFor: Bool

    /// Whether the backend vouches that nothing is missing and nothing was refused: what was refused would be a gap, in
    /// which an absence proves nothing (invariant 3).
    var isComplete: Bool { isVouchedFor && refused.isEmpty }

    var payloads: [HistoryPayload] {
        entries.compactMap { if case .verified(let payload) = $0.outcome { payload } else { nil } }
    }

    var refused: [RefusedData] {
        entries.compactMap { entry in
            guard case .refused(let refusal) = entry.outcome else { return nil }
            return RefusedData(pointer: entry.pointer, refusal: refusal)
        }
    }

    /// The ignored data, in the form of a refusal, for a request without other data of use.
    var useless: [RefusedData] {
        entries.compactMap { entry in
            guard case .ignored(let refusal) = entry.outcome else { return nil }
            return RefusedData(pointer: entry.pointer, refusal: refusal)
        }
    }

    /// The same as answers name it; `nil` if there is none.
    var ignored: [IgnoredData]? {
        let useless = useless
        return useless.isEmpty ? nil : useless.map { IgnoredData(pointer: $0.pointer, reason: $0.refusal.detail) }
    }

    /// Refuses a request that has nothing but what is ignored, and names no customer otherwise.
    ///
    /// - Throws: `signedDataRefused`.
    func requireUse(naming customer: CustomerIdentifiers) throws(RequestError) {
        guard payloads.isEmpty, !useless.isEmpty, customer.isEmpty else { return }
        throw .signedDataRefused(useless)
    }

    /// Ignores renewal info of which nothing shows whose it is: it names no app, so it may be of anyone.
    mutating func ignoreRenewalInfo(where isUnlinked: (RenewalInfo) -> Bool) {
        for place in entries.indices {
            guard case .verified(let payload) = entries[place].outcome, case .renewalInfo(let info) = payload.content,
                isUnlinked(info)
            else { continue }
            entries[place].outcome = .ignored(
                SignedDataRefusal(
                    .malformedPayload,
                    "no transaction of the request has the `originalTransactionId` of this renewal info",
                    hint: "send the newest transaction of the subscription beside its renewal info"))
        }
    }

    /// The identifiers that the payloads prove. Renewal info names no app, so it proves no customer by itself.
    var proven: [ProvenIdentifier] { payloads.compactMap(\.content.owner) }

    /// The same with the Apple Account of each transaction: finds the customer where the data is not kept, which would
    /// have linked them.
    var identifying: [ProvenIdentifier] {
        proven + payloads.compactMap(\.content.transaction?.appTransactionId).map { .appTransactionId($0) }
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

    /// The remaining work for a JWS that was examined: the payload to keep, and its date if it was verified to Apple's
    /// own root.
    private typealias Rest = () throws(SignedDataRefusal) -> (outcome: Outcome, dateOfApple: Instant?)

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
                let (outcome, date) = try rest()
                if let date { newest = max(newest ?? date, date) }
                entries.append(Entry(pointer: pointer, outcome: outcome))
            } catch {
                isRefused = true
                entries.append(Entry(pointer: pointer, outcome: .refused(error)))
            }
        }
        self.entries = entries
        newestDateOfApple = newest
    }

    private static func examine(
        _ delivery: SignedDelivery, reader: SignedDataReader, now: Instant, provenance: Provenance
    ) async -> [(pointer: String, examined: Result<Rest, SignedDataRefusal>)] {
        func rest<Payload>(
            _ data: ExaminedData<Payload>, _ content: @escaping (Payload) -> HistoryPayload.Content
        ) -> Rest {
            { () throws(SignedDataRefusal) in
                let verified = try data.verify()
                let payload = HistoryPayload(
                    content(verified.payload), bytes: verified.payloadBytes, provenance: provenance)
                return (
                    payload.content.owner == nil ? .ignored(Self.unnamed) : .verified(payload),
                    verified.anchor == .apple ? verified.signedDate : nil
                )
            }
        }
        var examined: [(pointer: String, examined: Result<Rest, SignedDataRefusal>)] = []
        func add(_ pointer: String, _ examine: () throws(SignedDataRefusal) -> Rest) {
            examined.append((pointer, Result(catching: examine)))
        }
        for (index, jws) in delivery.signedTransactions.enumerated() {
            await Task.yield()
            add("/signedTransactions/\(index)") { () throws(SignedDataRefusal) in
                rest(try reader.examine(transaction: jws, now: now)) { .transaction($0) }
            }
        }
        for (index, jws) in delivery.signedRenewalInfo.enumerated() {
            await Task.yield()
            add("/signedRenewalInfo/\(index)") { () throws(SignedDataRefusal) in
                rest(try reader.examine(renewalInfo: jws, now: now)) { .renewalInfo($0) }
            }
        }
        if let jws = delivery.signedAppTransaction {
            add("/signedAppTransaction") { () throws(SignedDataRefusal) in
                rest(try reader.examine(appTransaction: jws, now: now)) { .appTransaction($0) }
            }
        }
        return examined
    }

    /// Why an app transaction from before iOS 18.4, or of some libraries, is of no use.
    private static let unnamed = SignedDataRefusal(
        .malformedPayload, "the app transaction has no `appTransactionId`, so it identifies no customer",
        member: "appTransactionId",
        hint:
            "an app that is built with a current Xcode gets it from iOS 16 on; a customer with purchases is proven by "
            + "`signedTransactions`")
}
