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

extension MemberVisitor {
    /// The signed data of a request in which each member may be absent.
    mutating func signedData(_ delivery: inout SignedDelivery) {
        defaulted("signedTransactions", &delivery.signedTransactions)
        defaulted("signedRenewalInfo", &delivery.signedRenewalInfo)
        optional("signedAppTransaction", &delivery.signedAppTransaction)
    }
}

/// `POST /v1/transactions`.
package struct TransactionsRequestBody: WireRequest {
    package var delivery = SignedDelivery()
    package var customer: CustomerAliases?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("signedTransactions", &delivery.signedTransactions)
        members.defaulted("signedRenewalInfo", &delivery.signedRenewalInfo)
        members.optional("signedAppTransaction", &delivery.signedAppTransaction)
        members.defaulted("historyComplete", &delivery.historyComplete)
        members.optional("customer", &customer)
    }
}

package struct IngestReport: WireObject {
    /// The customers it belongs to, as far as proven.
    package var customers: [KnownIdentifiers] = []
    package var ignored: [IgnoredData]?
    /// One result per JWS, in the order of the request.
    package var results: [IngestResult] = []

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("customers", &customers)
        members.optional("ignored", &ignored)
        members.required("results", &results)
    }
}

/// Signed data of a request that was verified and could not be used; the request was answered without it.
public struct IgnoredData: WireObject {
    /// The member of the request, such as `signedAppTransaction` or `signedRenewalInfo[1]`.
    public var member = ""
    public var reason = ""

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.required("member", &member)
        members.required("reason", &reason)
    }

    /// - Parameter pointer: its place in the request, as a JSON pointer.
    package init(pointer: String, reason: String) {
        let steps = pointer.split(separator: "/")
        member = steps.dropFirst().reduce(String(steps.first ?? "")) { "\($0)[\($1)]" }
        self.reason = reason
    }
}

package struct KnownIdentifiers: WireObject {
    /// In the order of the ids.
    package var originalTransactionIds: [TransactionId] = []
    package var appTransactionId: AppTransactionId?
    package var appAccountTokens: [AppAccountToken] = []
    package var customerIds: [CustomerId] = []
    /// The same one by one, with where each came from; `GET /v1/customers` alone has them.
    package var identifiers: [IdentifierOrigin]?
    /// What the customer has now; `POST /v1/transactions` alone has it.
    package var status: CustomerStatus?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("appAccountTokens", &appAccountTokens)
        members.optional("appTransactionId", &appTransactionId)
        members.required("customerIds", &customerIds)
        members.optional("identifiers", &identifiers)
        members.required("originalTransactionIds", &originalTransactionIds)
        members.optional("status", &status)
    }
}

package struct IngestResult: WireObject {
    /// Its place in the request, as a JSON pointer.
    package var pointer = ""
    /// `added`, `updated`, `unchanged`, `refused` or `ignored`.
    package var outcome: IngestOutcome = .unchanged
    package var code: String?
    package var detail: String?
    package var hint: String?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("code", &code)
        members.optional("detail", &detail)
        members.optional("hint", &hint)
        members.required("outcome", &outcome)
        members.required("pointer", &pointer)
    }
}

/// `POST /v1/app-store/{bundleId}/{environment}/notifications`, Apple's `responseBodyV2`.
///
/// Apple writes it, so members that it adds later are passed over.
package struct NotificationRequestBody: WireRequest {
    package var signedPayload = ""

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("signedPayload", &signedPayload)
    }

    /// Reads a request that anyone may have sent: besides the one member it only checks the form. Others are passed
    /// over, because Apple may add some.
    ///
    /// - Throws: ``RequestFault``, naming the place.
    package static func read(_ bytes: [UInt8]) throws(RequestFault) -> NotificationRequestBody {
        do {
            return try WireJSON.decodeKnown(Self.self, ofRequest: bytes, values: 8_192)
        } catch {
            guard error.errors.first?.code == RequestErrorCode.missingMember.rawValue else { throw error }
            throw RequestFault(
                .root.appending("signedPayload"), .missingMember, "the member `signedPayload` is missing",
                hint: "choose Version 2 notifications in App Store Connect: those of Version 1 are not signed")
        }
    }
}

/// A notification that is stored now. The App Store looks at the status alone.
package struct NotificationBody: WireObject {
    package var notificationUUID = ""
    package var notificationType = NotificationType(rawValue: "")
    package var subtype: NotificationSubtype?
    /// What it changed in the history when it was first stored: `added`, `updated`, `unchanged` or `noHistory`.
    package var outcome: NotificationOutcome = .unchanged
    package var repeated = false

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("notificationType", &notificationType)
        members.required("notificationUUID", &notificationUUID)
        members.required("outcome", &outcome)
        members.required("repeated", &repeated)
        members.optional("subtype", &subtype)
    }
}
