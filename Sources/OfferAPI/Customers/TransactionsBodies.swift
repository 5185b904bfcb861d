package import OfferModel

/// Signed data as a request brings it, not yet verified.
public struct SignedDelivery: Sendable, Hashable {
    public var signedTransactions: [String]
    public var signedRenewalInfo: [String]
    public var signedAppTransaction: String?
    public var historyComplete: Bool

    public init(
        signedTransactions: [String] = [], signedRenewalInfo: [String] = [], signedAppTransaction: String? = nil,
        historyComplete: Bool = false
    ) {
        self.signedTransactions = signedTransactions
        self.signedRenewalInfo = signedRenewalInfo
        self.signedAppTransaction = signedAppTransaction
        self.historyComplete = historyComplete
    }

    /// How many JWS it holds; a request may bring at most ``maximumCount``.
    public var count: Int {
        signedTransactions.count + signedRenewalInfo.count + (signedAppTransaction == nil ? 0 : 1)
    }

    /// How many JWS one request may bring (docs/bounds.md#requests).
    public static let maximumCount = 200
    /// The same with an `app` key.
    package static let maximumCountOfApps = 20
}

extension KeyedDecodingContainer {
    /// Reads the signed data of a request in which each member may be absent.
    func decodeSignedData(_ transactions: Key, _ renewalInfo: Key, _ appTransaction: Key) throws -> SignedDelivery {
        SignedDelivery(
            signedTransactions: try decodeIfPresent([String].self, forKey: transactions) ?? [],
            signedRenewalInfo: try decodeIfPresent([String].self, forKey: renewalInfo) ?? [],
            signedAppTransaction: try decodeIfPresent(String.self, forKey: appTransaction))
    }
}

/// `POST /v1/transactions`.
package struct TransactionsRequestBody: Sendable, Hashable, Decodable {
    package var delivery: SignedDelivery
    package var customer: CustomerAliases?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case signedTransactions, signedRenewalInfo, signedAppTransaction, historyComplete, customer
    }

    init(_ delivery: SignedDelivery, customer: CustomerAliases?) {
        self.delivery = delivery
        self.customer = customer
    }

    package init(from decoder: any Decoder) throws {
        let container = try StrictDecoding.container(decoder, keyedBy: CodingKeys.self)
        delivery = SignedDelivery(
            signedTransactions: try container.decode([String].self, forKey: .signedTransactions),
            signedRenewalInfo: try container.decodeIfPresent([String].self, forKey: .signedRenewalInfo) ?? [],
            signedAppTransaction: try container.decodeIfPresent(String.self, forKey: .signedAppTransaction),
            historyComplete: try container.decodeIfPresent(Bool.self, forKey: .historyComplete) ?? false)
        customer = try container.decodeIfPresent(CustomerAliases.self, forKey: .customer)
    }
}

package struct IngestReport: Sendable, Hashable, Codable {
    /// The customers it belongs to, as far as proven.
    package var customers: [KnownIdentifiers]
    package var ignored: [IgnoredData]?
    /// One result per JWS, in the order of the request.
    package var results: [IngestResult]

    package init(customers: [KnownIdentifiers], ignored: [IgnoredData]? = nil, results: [IngestResult]) {
        self.customers = customers
        self.ignored = ignored
        self.results = results
    }
}

/// Signed data of a request that was verified and could not be used; the request was answered without it.
public struct IgnoredData: Sendable, Hashable, Codable {
    /// The member of the request, such as `signedAppTransaction` or `signedRenewalInfo[1]`.
    public var member: String
    /// Why, in words.
    public var reason: String

    /// - Parameter pointer: its place in the request, as a JSON pointer.
    package init(pointer: String, reason: String) {
        let steps = pointer.split(separator: "/")
        member = steps.dropFirst().reduce(String(steps.first ?? "")) { "\($0)[\($1)]" }
        self.reason = reason
    }
}

package struct KnownIdentifiers: Sendable, Hashable, Codable {
    /// In the order of the ids.
    package var originalTransactionIds: [TransactionId]
    package var appTransactionId: AppTransactionId?
    package var appAccountTokens: [AppAccountToken]
    package var customerIds: [CustomerId]
    /// The same one by one, with where each came from; `GET /v1/customers` alone has them.
    package var identifiers: [IdentifierOrigin]?
    /// What the customer has now; `POST /v1/transactions` alone has it.
    package var status: CustomerStatus?

    package init(
        originalTransactionIds: [TransactionId] = [], appTransactionId: AppTransactionId? = nil,
        appAccountTokens: [AppAccountToken] = [], customerIds: [CustomerId] = []
    ) {
        self.originalTransactionIds = originalTransactionIds
        self.appTransactionId = appTransactionId
        self.appAccountTokens = appAccountTokens
        self.customerIds = customerIds
    }
}

package struct IngestResult: Sendable, Hashable, Codable {
    /// Its place in the request, as a JSON pointer.
    package var pointer: String
    /// `added`, `updated`, `unchanged`, `refused` or `ignored`.
    package var outcome: IngestOutcome
    package var code: String?
    package var detail: String?
    package var hint: String?

    package init(
        pointer: String, outcome: IngestOutcome, code: String? = nil, detail: String? = nil, hint: String? = nil
    ) {
        self.pointer = pointer
        self.outcome = outcome
        self.code = code
        self.detail = detail
        self.hint = hint
    }
}

/// `POST /v1/app-store/{bundleId}/{environment}/notifications`, Apple's `responseBodyV2`.
///
/// Apple writes it, so members that it adds later are passed over.
package struct NotificationRequestBody: Sendable, Hashable, Decodable {
    package var signedPayload: String

    enum CodingKeys: String, CodingKey {
        case signedPayload
    }

    /// Reads a request that anyone may have sent: besides the one member it only checks the form. Others are passed
    /// over, because Apple may add some.
    ///
    /// - Throws: ``RequestFault``, naming the place.
    package static func read(_ bytes: [UInt8]) throws(RequestFault) -> NotificationRequestBody {
        if let plain = FastPathReader.read(Self.self, from: bytes, values: 2) { return plain }
        return try WireJSON.decode(
            Self.self, ofRequest: bytes, only: [CodingKeys.signedPayload.stringValue], values: 8_192)
    }

    /// - Throws: ``RequestFault`` without `signedPayload`, which unsigned notifications of Version 1 lack;
    ///   `DecodingError` if it is no text.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let signedPayload = try container.decodeIfPresent(String.self, forKey: .signedPayload) else {
            throw RequestFault(
                .root.appending("signedPayload"), .missingMember, "the member `signedPayload` is missing",
                hint: "choose Version 2 notifications in App Store Connect: those of Version 1 are not signed")
        }
        self.signedPayload = signedPayload
    }
}

/// A notification that is stored now. The App Store looks at the status alone.
package struct NotificationBody: Sendable, Hashable, Codable {
    package var notificationUUID: String
    package var notificationType: NotificationType
    package var subtype: NotificationSubtype?
    /// What it changed in the history when it was first stored: `added`, `updated`, `unchanged` or `noHistory`.
    package var outcome: NotificationOutcome
    package var repeated: Bool

    package init(
        notificationUUID: String, notificationType: NotificationType, subtype: NotificationSubtype?,
        outcome: NotificationOutcome, repeated: Bool
    ) {
        self.notificationUUID = notificationUUID
        self.notificationType = notificationType
        self.subtype = subtype
        self.outcome = outcome
        self.repeated = repeated
    }
}
