public import OfferModel
public import OfferSigning

/// Reads a history of decoded payloads for a "what if", by the code that reads signed ones, and holds it to one app and
/// environment. Nobody vouches for what it says.
public struct SuppliedHistoryReader: Sendable {
    private let scope: Scope

    /// A reader for one app in one environment.
    public init(scope: Scope) {
        self.scope = scope
    }

    /// Reads every payload.
    ///
    /// - Throws: ``SuppliedPayloadRefusal`` at the first payload that cannot be read, or that names another app or
    ///   environment; one that names no environment is taken.
    public func read(_ supplied: SuppliedHistory) throws(SuppliedPayloadRefusal) -> DecodedHistory {
        var decoded = DecodedHistory()
        for (place, bytes) in supplied.transactions.enumerated() {
            decoded.transactions.append(try transaction(bytes, at: place))
        }
        for (place, bytes) in supplied.renewalInfos.enumerated() {
            decoded.renewalInfos.append(try renewalInfo(bytes, at: place))
        }
        if let bytes = supplied.appTransaction { decoded.appTransaction = try appTransaction(bytes) }
        return decoded
    }

    private func transaction(
        _ bytes: [UInt8], at place: Int
    ) throws(SuppliedPayloadRefusal) -> DecodedPayload<Transaction> {
        do throws(SignedDataRefusal) {
            let payload = try Transaction(payload: bytes)
            try check(bundleId: payload.bundleId)
            try check(environment: payload.environment, member: "environment")
            try payload.requireReadablePeriod()
            return DecodedPayload(payload, bytes: bytes)
        } catch {
            throw SuppliedPayloadRefusal(list: "transactions", place: place, refusal: error)
        }
    }

    private func renewalInfo(
        _ bytes: [UInt8], at place: Int
    ) throws(SuppliedPayloadRefusal) -> DecodedPayload<RenewalInfo> {
        do throws(SignedDataRefusal) {
            let payload = try RenewalInfo(payload: bytes)
            try check(environment: payload.environment, member: "environment")
            try payload.requireReadablePeriod()
            return DecodedPayload(payload, bytes: bytes)
        } catch {
            throw SuppliedPayloadRefusal(list: "renewalInfos", place: place, refusal: error)
        }
    }

    private func appTransaction(_ bytes: [UInt8]) throws(SuppliedPayloadRefusal) -> DecodedPayload<AppTransaction> {
        do throws(SignedDataRefusal) {
            let payload = try AppTransaction(payload: bytes)
            try check(bundleId: payload.bundleId)
            try check(environment: payload.receiptType, member: "receiptType")
            return DecodedPayload(payload, bytes: bytes)
        } catch {
            throw SuppliedPayloadRefusal(list: "appTransaction", place: nil, refusal: error)
        }
    }

    private func check(bundleId found: BundleId) throws(SignedDataRefusal) {
        guard found == scope.bundleId else {
            throw SignedDataRefusal(
                .wrongBundleId, "`\(found)` is another app than `\(scope.bundleId)`, which is asked about",
                member: "bundleId")
        }
    }

    private func check(environment found: String?, member: String) throws(SignedDataRefusal) {
        guard let found, found != scope.environment.rawValue else { return }
        throw SignedDataRefusal(
            .wrongEnvironment,
            "`\(found)` is another environment than `\(scope.environment.rawValue)`, which is asked about",
            member: member)
    }
}

/// A payload of a supplied history that cannot be taken.
public struct SuppliedPayloadRefusal: Error, Sendable, Hashable {
    /// The member of the history: `transactions`, `renewalInfos` or `appTransaction`.
    public let list: String
    /// Its place in that list, from 0; absent for the app transaction.
    public let place: Int?
    /// Why.
    public let refusal: SignedDataRefusal

    /// The way to what is wrong, from the history on: the list, the place, the member and what it is nested in.
    public var path: [String] {
        [list] + (place.map { [String($0)] } ?? [])
            + (refusal.member?.split(separator: ".").map(String.init) ?? [])
    }
}
