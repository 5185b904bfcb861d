import Hummingbird
import OfferAPI
import OfferApplication
import OfferEligibility
import OfferModel
import OfferSigning

/// `/v1/customers`: one customer's story, what Apple knows of them, what the app sets for them and calls them.
struct CustomersController: Sendable {
    let customers: CustomerLookup
    let attributes: CustomerAttributes
    let unlinking: AliasUnlinking
    let resetting: TesterReset
    let refreshing: CustomerRefresh
    let bodyLimit: Int

    /// Entries of a timeline's page unless `limit` says otherwise, and at most.
    private static let pageSize = (usual: 50, range: 1...200)

    @Sendable func show(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        var query = try QueryParameters(request, known: CustomerQuery.names + ["limit", "cursor"])
        let limit = query.number("limit", in: Self.pageSize.range) ?? Self.pageSize.usual
        let cursor = query.text("cursor").flatMap { text in
            let cursor = TimelineCursor(text: text)
            if cursor == nil { query.refuseCursor("cursor") }
            return cursor
        }
        let story = try await customers.story(
            try CustomerQuery.read(&query), limit: limit, from: cursor, caller: context.caller)
        return try .json(CustomersBody(story))
    }

    @Sendable func refresh(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        let question = try await request.decode(RefreshRequestBody.self, upTo: bodyLimit).question()
        return try .json(RefreshBody(try await refreshing.refresh(question, caller: context.caller)))
    }

    @Sendable func unlink(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        let body = try await request.decode(UnlinkRequestBody.self, upTo: bodyLimit)
        let identifiers = try body.identifiers()
        let result = try await unlinking.unlink(
            CustomerIdentifiers(
                appAccountToken: body.aliases.appAccountToken, customerId: body.aliases.customerId),
            from: identifiers, reason: body.reason, caller: context.caller)
        return try .json(
            UnlinkBody(customers: result.customers.map(CustomerIdentifiersBody.init), unlinked: result.unlinked))
    }

    @Sendable func reset(
        _ request: Request, _ context: CallerContext<MarketingOrSupportAccess>
    ) async throws -> Response {
        let body = try await request.decode(ResetRequestBody.self, upTo: bodyLimit)
        let identifiers = try body.identifiers()
        guard let customers = try await resetting.reset(identifiers, reason: body.reason, caller: context.caller) else {
            throw Problem(
                .forbidden, "customers of \(context.caller.scope.environment.rawValue) are not forgotten",
                hint:
                    "this call is for testers, in Sandbox and LocalTesting; `offerd customers erase` erases a customer")
        }
        return try .json(ResetBody(customers: customers))
    }

    @Sendable func setAttributes(
        _ request: Request, _ context: CallerContext<ClientAccess>
    ) async throws -> Response {
        let body = try await request.decode(AttributesRequestBody.self, upTo: bodyLimit)
        let identifiers = try body.identifiers()
        let known = try await attributes.replace(body.attributes, of: identifiers, caller: context.caller)
        return try .json(
            AttributesBody(customers: known.map(CustomerIdentifiersBody.init), attributes: body.attributes))
    }
}

extension AttributesRequestBody {
    /// Whose attributes they are.
    ///
    /// - Throws: ``RequestFault`` with every value that is not accepted.
    func identifiers() throws(RequestFault) -> CustomerIdentifiers {
        var checks = RequestChecks()
        checks.customer(customer)
        checks.attributes(attributes)
        try checks.finish()
        return CustomerIdentifiers(customer)
    }
}

extension ResetRequestBody {
    /// The tester it names.
    ///
    /// - Throws: ``RequestFault`` for a member that is not accepted.
    func identifiers() throws(RequestFault) -> CustomerIdentifiers {
        var checks = RequestChecks()
        checks.customer(customer)
        checks.text(reason, at: .root.appending("reason"), maximum: RequestRules.identifierLength)
        try checks.finish()
        return CustomerIdentifiers(customer)
    }
}

extension UnlinkRequestBody {
    /// The customer it names.
    ///
    /// - Throws: ``RequestFault`` for a member that is not accepted, and if no alias is given.
    func identifiers() throws(RequestFault) -> CustomerIdentifiers {
        var checks = RequestChecks()
        checks.customer(customer)
        checks.text(
            aliases.customerId?.rawValue, at: .root.appending("aliases").appending("customerId"),
            maximum: RequestRules.identifierLength)
        checks.text(reason, at: .root.appending("reason"), maximum: RequestRules.identifierLength)
        if aliases.appAccountToken == nil, aliases.customerId == nil {
            checks.add(
                .root.appending("aliases"), .missingMember, "the request names no alias to detach",
                hint: "give an `appAccountToken` or a `customerId`")
        }
        try checks.finish()
        return CustomerIdentifiers(customer)
    }
}

extension RefreshRequestBody {
    /// What is asked.
    ///
    /// - Throws: ``RequestFault`` unless exactly one member is given, with a value that is accepted.
    func question() throws(RequestFault) -> RefreshQuestion {
        var checks = RequestChecks()
        if let customer { checks.customer(customer) }
        checks.text(orderId, at: .root.appending("orderId"), maximum: RequestRules.orderIdLength)
        if customer == nil, orderId == nil {
            checks.add(
                .root, .missingMember, "the request names no customer",
                hint: "give a `customer` with any identifier, or the `orderId` of a receipt")
        }
        if customer != nil, orderId != nil {
            checks.add(
                .root.appending("orderId"), .invalidValue, "an order names its customer by itself",
                hint: "leave `customer` or `orderId` out")
        }
        try checks.finish()
        if let orderId { return .order(orderId) }
        return .customer(customer.map(CustomerIdentifiers.init) ?? CustomerIdentifiers())
    }
}

extension CustomersBody {
    init(_ story: CustomerDetails) {
        let coverage = story.history.coverage
        let transactions = story.history.currentTransactions
        let older = transactions.count - Self.shownTransactions
        self.init(
            customers: zip(story.customers, story.origins).map(KnownCustomerBody.init), attributes: story.attributes,
            coverage: CoverageBody(
                level: coverage.level.rawValue, asOf: coverage.asOf, provenance: coverage.provenance),
            subscriptions: story.history.subscriptionStates(at: story.now).map(SubscriptionBody.init),
            transactions: transactions.suffix(Self.shownTransactions).map(TransactionSummaryBody.init),
            olderTransactions: older > 0 ? older : nil, issuedOffers: story.issuedOffers.map(IssuedOfferBody.init),
            timeline: story.timeline.entries.map {
                TimelineEntryBody(at: $0.at, kind: $0.kind.rawValue, message: $0.message)
            }, next: story.timeline.next?.text)
    }

    /// How many of the newest transactions are shown; the timeline has them all.
    private static let shownTransactions = 100
}

extension KnownCustomerBody {
    init(_ known: KnownIdentifiers, _ origins: [IdentifierOrigin]) {
        self.init(
            originalTransactionIds: known.originalTransactionIds, appTransactionId: known.appTransactionId,
            appAccountTokens: known.appAccountTokens, customerIds: known.customerIds,
            identifiers: origins.map {
                IdentifierOriginBody(
                    kind: $0.kind.rawValue, value: $0.value, since: $0.since, provenance: $0.provenance,
                    transactionId: $0.transactionId, requestId: $0.requestId)
            })
    }
}

extension SubscriptionBody {
    init(_ state: SubscriptionState) {
        self.init(
            subscriptionGroupIdentifier: state.subscriptionGroupIdentifier, state: state.name,
            undeterminedBecause: state.resolution.undeterminedReason?.rawValue, hasAccess: state.hasAccess,
            willAutoRenew: state.willAutoRenew, productId: state.transaction?.productId,
            expiresDate: state.accessEnds, daysLeft: state.daysLeft, lastMomentToCancel: state.lastMomentToCancel,
            transactionId: state.transaction?.transactionId)
    }
}

extension TransactionSummaryBody {
    init(_ row: Recorded<Transaction>) {
        let transaction = row.payload
        self.init(
            transactionId: transaction.transactionId, originalTransactionId: transaction.originalTransactionId,
            productId: transaction.productId, purchaseDate: transaction.purchaseDate,
            expiresDate: transaction.expiresDate, revocationDate: transaction.revocationDate,
            offerType: transaction.offerType?.rawValue, offerIdentifier: transaction.offerIdentifier,
            price: transaction.paid?.description, provenance: row.provenance)
    }
}

extension Transaction {
    /// What was charged, where Apple says.
    fileprivate var paid: Money? {
        guard let price, let currency else { return nil }
        return Money(milliunits: price, currency: currency)
    }
}

extension RefreshBody {
    init(_ report: RefreshReport) {
        let coverage = report.coverage
        self.init(
            customers: report.customers.map(CustomerIdentifiersBody.init),
            transactions: Counts(report.transactions), renewalInfos: Counts(report.renewalInfos),
            appTransactions: Counts(report.appTransactions),
            refused: report.refused.map {
                Refused(path: $0.pointer, code: $0.refusal.code.rawValue, detail: $0.refusal.detail)
            },
            gaps: report.gaps.map { Gap(code: $0.rawValue, detail: $0.detail) },
            coverage: CoverageBody(
                level: coverage.level.rawValue, asOf: coverage.asOf, provenance: coverage.provenance))
    }
}

extension RefreshBody.Counts {
    fileprivate init(_ counts: OutcomeCounts) {
        self.init(
            added: counts[.added], updated: counts[.updated], unchanged: counts[.unchanged],
            refused: counts[.refused])
    }
}
