import OfferAPI
import OfferModel
import OfferStore

/// The customer that the signed data of a request proves: the only one that an `app` key may act for
/// (docs/http.md#apps-without-a-backend).
///
/// Every copy of the app holds the key, so nothing that is merely stated names a customer.
struct ProvenCustomer: Sendable {
    private let transactions: [Transaction]
    /// The Apple Accounts that the data names: several where Apple moved a purchase to another one.
    private let accounts: Set<AppTransactionId>
    private let subscriptions: Set<TransactionId>

    /// - Throws: `unprovenCustomer` unless all of the data is that of one customer: each part shares an
    ///   `originalTransactionId` or an `appTransactionId` with another, through however many. `signedDataRefused` if there
    ///   is nothing but data that is of no use.
    init(_ verified: VerifiedDelivery) throws(RequestError) {
        var (transactions, renewals, accounts) = ([Transaction](), [RenewalInfo](), Set<AppTransactionId>())
        for payload in verified.payloads {
            switch payload.content {
            case .transaction(let transaction): transactions.append(transaction)
            case .renewalInfo(let info): renewals.append(info)
            case .appTransaction(let transaction): accounts.formUnion(transaction.appTransactionId.map { [$0] } ?? [])
            }
        }
        // Renewal info names no app: that of another one must not name a customer here.
        guard !transactions.isEmpty || !accounts.isEmpty else {
            guard verified.useless.isEmpty else { throw .signedDataRefused(verified.useless) }
            throw .unprovenCustomer(detail: "the request has no signed transaction and no signed app transaction")
        }
        var subscriptions = Set(accounts.isEmpty ? transactions.prefix(1).map(\.originalTransactionId) : [])
        var unlinked = transactions
        while true {
            let start = unlinked.count
            unlinked.removeAll { transaction in
                guard
                    subscriptions.contains(transaction.originalTransactionId)
                        || transaction.appTransactionId.map(accounts.contains) == true
                else { return false }
                subscriptions.insert(transaction.originalTransactionId)
                if let account = transaction.appTransactionId { accounts.insert(account) }
                return true
            }
            if unlinked.isEmpty || unlinked.count == start { break }
        }
        let isOther = { (info: RenewalInfo) in
            !subscriptions.contains(info.originalTransactionId)
                && info.appTransactionId.map { !accounts.isEmpty && !accounts.contains($0) } == true
        }
        guard unlinked.isEmpty, !renewals.contains(where: isOther) else {
            throw .unprovenCustomer(detail: "nothing shows that all signed data of the request is of one customer")
        }
        (self.transactions, self.accounts, self.subscriptions) = (transactions, accounts, subscriptions)
    }

    /// Whether renewal info is of the customer: it names no app, but a subscription or the Apple Account of the data.
    func owns(_ info: RenewalInfo) -> Bool {
        subscriptions.contains(info.originalTransactionId) || info.appTransactionId.map(accounts.contains) == true
    }

    /// How the request is to name the customer: by Apple's identifiers that it names, or by those of its data.
    ///
    /// Aliases are left out. The account token even if the data has it: a purchase can be made under any token, that of
    /// another customer or a new one each time. The `customerId` even if a customer token proves it: who sends the data
    /// may have copied it, and must not become the customer's account.
    ///
    /// - Parameter customerId: the `customerId` that a customer token proves.
    /// - Throws: `unprovenCustomer` if it names the customer by anything else that the data does not.
    func identifiers(
        named: CustomerIdentifiers, account customerId: CustomerId?
    ) throws(RequestError) -> CustomerIdentifiers {
        var customer = named
        let tokens = transactions.compactMap(\.appAccountToken)
        if let id = named.originalTransactionId, !names(id) {
            throw Self.unproven("originalTransactionId", id.rawValue)
        }
        if let id = named.appTransactionId, !accounts.contains(id) {
            throw Self.unproven("appTransactionId", id.rawValue)
        }
        if let token = named.appAccountToken, !tokens.contains(token) {
            throw Self.unproven("appAccountToken", token.description)
        }
        if let id = named.customerId, id != customerId {
            guard customerId != nil else { throw Self.unproven("customerId", id.rawValue) }
            throw .unprovenCustomer(detail: "the `customerId` is not that of the customer token")
        }
        if customer.proven.isEmpty {
            customer.originalTransactionId = newest?.originalTransactionId
            customer.appTransactionId = newest == nil ? account : nil
        }
        (customer.appAccountToken, customer.customerId) = (nil, nil)
        return customer
    }

    /// The customer by Apple's identifiers alone: an alias in signed data may be that of another customer too.
    var found: CustomerIdentifiers {
        CustomerIdentifiers(originalTransactionId: newest?.originalTransactionId, appTransactionId: account)
    }

    /// The part of the customer that an app is shown: signed data can be a copy, so its holder gets no other name of
    /// theirs than the data has.
    func shown(_ customer: KnownIdentifiers) -> KnownIdentifiers {
        var shown = customer
        let tokens = transactions.compactMap(\.appAccountToken)
        shown.originalTransactionIds.removeAll { !names($0) }
        if let id = shown.appTransactionId, !accounts.contains(id) { shown.appTransactionId = account }
        shown.appAccountTokens.removeAll { !tokens.contains($0) }
        shown.customerIds = []
        shown.status = customer.status.map(self.shown)
        return shown
    }

    /// The same of a status: the subscription that a group's state is of may be another than the data's.
    func shown(_ status: CustomerStatus) -> CustomerStatus {
        var shown = status
        shown.customer = found
        for place in shown.groups.indices where shown.groups[place].originalTransactionId.map(names) == false {
            shown.groups[place].originalTransactionId = nil
        }
        return shown
    }

    private func names(_ subscription: TransactionId) -> Bool { subscriptions.contains(subscription) }

    private var newest: Transaction? { Self.newest(of: transactions) }

    /// The Apple Account: that of the newest transaction that names one.
    private var account: AppTransactionId? {
        Self.newest(of: transactions.filter { $0.appTransactionId != nil })?.appTransactionId ?? accounts.min()
    }

    private static func newest(of transactions: [Transaction]) -> Transaction? {
        transactions.max { ($0.purchaseDate, $0.signedDate) < ($1.purchaseDate, $1.signedDate) }
    }

    private static func unproven(_ member: String, _ value: String) -> RequestError {
        .unprovenCustomer(detail: "no signed data of the request has the `\(member)` `\(value.prefix(100))`")
    }
}

extension Caller {
    /// The offer of this id, unless the caller may not learn of it: everyone can have an `app` key, and what is planned is
    /// not for everyone. Nor is a former id, which an offer may have had only while it was planned.
    ///
    /// - Throws: `noCatalog`, `unknownOffer`, `renamedOffer`.
    func requested(_ id: OfferId, of catalog: CompiledCatalog, at now: Instant) throws(RequestError) -> CompiledOffer {
        guard let offer = catalog.compiledOffer(id), mayLearn(of: offer.offer, at: now) else {
            // One that was applied has products.
            throw catalog.catalog.subscriptionGroups.isEmpty ? .noCatalog(scope) : .unknownOffer(id)
        }
        guard offer.offer.id == id else {
            throw role == .app ? .unknownOffer(id) : .renamedOffer(id, to: offer.offer.id)
        }
        return offer
    }

    func mayLearn(of offer: Offer, at now: Instant) -> Bool {
        guard role == .app else { return true }
        let isPlanned = offer.status == .draft || (offer.starts ?? now) > now
        return !isPlanned && offer.environments.contains(scope.environment)
    }

    /// The encodings in which the caller gets an offer. A V1 signature names no transaction: its holder could redeem
    /// it, so an app gets V2.
    func formats(of app: RegisteredApp) -> Set<SignatureFormat> {
        let formats = app.formats(in: scope.environment)
        return role == .app ? formats.subtracting([.v1]) : formats
    }

    /// Refuses encodings that the caller may not ask for.
    func requireObtainable(_ formats: [SignatureFormat]?) throws(RequestError) {
        guard role == .app, formats?.contains(.v1) == true else { return }
        throw .forbiddenMember("formats", role: role, hint: "an app gets `v2`: a V1 signature names no transaction")
    }

    /// A request's statements about the device and its signals, as far as the offer reads them. Anything else that an
    /// app sends would make each refusal of the same offer a record of its own.
    func stated(_ request: IssueRequest, to offer: Offer) -> IssueRequest {
        guard role == .app else { return request }
        let facts = offer.eligibility?.facts ?? []
        var request = request
        request.signals = request.signals.filter { facts.contains(FactVocabulary.signalPrefix + $0.key) }
        request.device = request.device.keeping(facts)
        return request
    }

    /// The customer that a request is about: as named, but with an `app` key only the one that its signed data proves.
    /// With them, what of the data can be used.
    func customer(
        named: CustomerIdentifiers, in received: VerifiedDelivery
    ) throws(RequestError) -> (verified: VerifiedDelivery, customer: CustomerIdentifiers) {
        var verified = received
        guard role == .app else {
            try verified.requireUse(naming: named)
            return (verified, named)
        }
        guard verified.refused.isEmpty else { throw .signedDataRefused(verified.refused) }
        guard !verified.isVouchedFor else {
            throw .forbiddenMember(
                "historyComplete", role: role,
                hint: "leave it out: an app cannot tell; with Apple's API key the service asks Apple itself")
        }
        let proven = try ProvenCustomer(verified)
        verified.ignoreRenewalInfo { !proven.owns($0) }
        return (verified, try proven.identifiers(named: named, account: account))
    }

    /// The account of the app that a request is for: as named, but with an `app` key only the one that a customer token
    /// proves.
    func signUp(_ named: CustomerIdentifiers) -> SignUp { role == .app ? SignUp(customerId: account) : named.signUp }

    /// Refuses signals that the caller may not state.
    func requireStatable(_ signals: [String: FactValue], in catalog: Catalog) throws(RequestError) {
        guard role == .app else { return }
        guard let signal = signals.keys.sorted().first(where: { !catalog.appSignals.contains($0) }) else { return }
        throw .forbiddenMember(
            "signals.\(signal)", role: role, hint: "the catalog's `appSignals` lists the signals that an app may state")
    }
}
