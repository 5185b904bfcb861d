public import OfferModel
public import OfferSigning

/// A purchase as an operator's export has it.
public struct ImportedTransaction: Sendable, Hashable {
    public var transaction: Transaction
    /// How its subscription renews, if the export says so.
    public var renewalInfo: RenewalInfo?
    public var customerId: CustomerId?
}

/// Reads a decoded transaction in Apple's spelling, with what an export adds and what it may leave out.
///
/// Added are the members `customerId`, and `renewalInfo` with Apple's decoded renewal info. Optional are `bundleId`;
/// `signedDate`, which defaults to the date of the export, or else to the last thing that happened to the purchase; and
/// in `renewalInfo` also the ids of the subscription and of its product. Unknown members are ignored, as in signed
/// data: Apple adds some over time.
public struct ImportedTransactionReader: Sendable {
    private let bundleId: BundleId
    private let exportedAt: Instant?

    /// - Parameter exportedAt: when the export was made, if that is known.
    public init(bundleId: BundleId, exportedAt: Instant? = nil) {
        self.bundleId = bundleId
        self.exportedAt = exportedAt
    }

    /// - Throws: ``SignedDataRefusal`` with `malformedPayload`, naming the member if one is at fault.
    public func read(_ bytes: [UInt8]) throws(SignedDataRefusal) -> ImportedTransaction {
        var members = try PayloadMembers(of: bytes, kind: .transaction)
        members.defaults.texts = ["bundleId": bundleId.rawValue]
        members.defaults.date = exportedAt
        if exportedAt == nil { members.defaults.date = try Self.newest(members) }
        let transaction = try members.read(Transaction.self)
        try requireReadable(transaction.offerPeriod)
        return ImportedTransaction(
            transaction: transaction, renewalInfo: try Self.renewalInfo(members, of: transaction),
            customerId: try members.value("customerId"))
    }

    private static func renewalInfo(
        _ members: PayloadMembers, of transaction: Transaction
    ) throws(SignedDataRefusal) -> RenewalInfo? {
        guard var nested = try members.object("renewalInfo", kind: .renewalInfo) else { return nil }
        nested.defaults.texts = [
            "originalTransactionId": transaction.originalTransactionId.rawValue,
            "productId": transaction.productId.rawValue,
        ]
        nested.defaults.date = transaction.signedDate
        let info = try nested.read(RenewalInfo.self)
        try requireReadable(info.offerPeriod, within: "renewalInfo.")
        return info
    }

    private static func newest(_ members: PayloadMembers) throws(SignedDataRefusal) -> Instant? {
        let dates = [try members.date("purchaseDate"), try members.date("revocationDate")]
        return dates.compactMap(\.self).max()
    }
}

/// Reads a history of decoded payloads for a "what if", by the code that reads signed ones, and checks that it belongs
/// to one app and environment. Nothing in it is verified.
public struct SuppliedHistoryReader: Sendable {
    private let scope: Scope

    public init(scope: Scope) {
        self.scope = scope
    }

    /// - Throws: ``SuppliedPayloadRefusal`` at the first payload that cannot be read, or that names another app or
    ///   environment; one that names no environment is accepted.
    public func read(_ supplied: SuppliedHistory) throws(SuppliedPayloadRefusal) -> DecodedHistory {
        var decoded = DecodedHistory()
        for (place, bytes) in supplied.transactions.enumerated() {
            let payload = try read(bytes, "transactions", place) { payload throws(SignedDataRefusal) in
                let payload: Transaction = payload
                try check(payload.bundleId)
                try check(environment: payload.environment, member: "environment")
                try requireReadable(payload.offerPeriod)
            }
            decoded.transactions.append(payload)
        }
        for (place, bytes) in supplied.renewalInfos.enumerated() {
            let payload = try read(bytes, "renewalInfos", place) { payload throws(SignedDataRefusal) in
                let payload: RenewalInfo = payload
                try check(environment: payload.environment, member: "environment")
                try requireReadable(payload.offerPeriod)
            }
            decoded.renewalInfos.append(payload)
        }
        if let bytes = supplied.appTransaction {
            decoded.appTransaction = try read(bytes, "appTransaction", nil) { payload throws(SignedDataRefusal) in
                let payload: AppTransaction = payload
                try check(payload.bundleId)
                try check(environment: payload.receiptType, member: "receiptType")
            }
        }
        return decoded
    }

    private func read<Payload: ApplePayload>(
        _ bytes: [UInt8], _ list: String, _ place: Int?, _ check: (Payload) throws(SignedDataRefusal) -> Void
    ) throws(SuppliedPayloadRefusal) -> DecodedPayload<Payload> {
        do throws(SignedDataRefusal) {
            let payload = try Payload(payload: bytes)
            try check(payload)
            return DecodedPayload(payload, bytes: bytes)
        } catch {
            throw SuppliedPayloadRefusal(list: list, place: place, refusal: error)
        }
    }

    private func check(_ found: BundleId) throws(SignedDataRefusal) {
        try SignedDataRefusal.require(
            found == scope.bundleId, .wrongBundleId,
            "`\(found)` is another app than `\(scope.bundleId)`, which is asked about", member: "bundleId")
    }

    private func check(environment found: String?, member: String) throws(SignedDataRefusal) {
        guard let found, found != scope.environment.rawValue else { return }
        throw SignedDataRefusal(
            .wrongEnvironment,
            "`\(found)` is another environment than `\(scope.environment.rawValue)`, which is asked about",
            member: member)
    }
}

public struct SuppliedPayloadRefusal: Error, Sendable, Hashable {
    /// The member of the history: `transactions`, `renewalInfos` or `appTransaction`.
    public let list: String
    /// Its index in that list, from 0; absent for the app transaction.
    public let place: Int?
    public let refusal: SignedDataRefusal

    /// The path to what is wrong, from the history: the list, the index, the member and what it is nested in.
    public var path: [String] {
        [list] + (place.map { [String($0)] } ?? [])
            + (refusal.member?.split(separator: ".").map(String.init) ?? [])
    }
}

/// Apple may add forms of `offerPeriod`, so signed data keeps any text. The author of unsigned data can correct it.
private func requireReadable(_ period: String?, within object: String = "") throws(SignedDataRefusal) {
    guard let period, !period.isEmpty, Period(period) == nil else { return }
    throw SignedDataRefusal(
        .malformedPayload,
        "`\(object)offerPeriod` is `\(period)`, not a period of up to \(InputBounds.longestPeriod) years such as `P1M`",
        member: "\(object)offerPeriod")
}
