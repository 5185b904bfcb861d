import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `/v1/customers`: one customer's story, what Apple knows of them, what the app sets for them and calls them.
struct CustomersController: Sendable {
    let useCases: UseCases
    let limits: HTTPLimits
    private var bodyLimit: Int { limits.bodyBytes }

    @Sendable func show(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        var query = try QueryParameters(request, known: CustomerQuery.names + ["limit", "cursor"])
        let limit = query.limit()
        let cursor = query.text("cursor").flatMap { text in
            let cursor = TimelineCursor(text: text)
            if cursor == nil { query.refuseCursor("cursor") }
            return cursor
        }
        return try .json(
            try await useCases.customers.story(
                try CustomerQuery.read(&query), limit: limit, from: cursor, caller: context.caller))
    }

    @Sendable func status(
        _ request: Request, _ context: CallerContext<ClientAppOrSupportAccess>
    ) async throws -> Response {
        let body = try await request.decode(
            StatusRequestBody.self, upTo: limits.signedData(for: context.caller.role))
        try body.check(by: context.caller.role)
        return try .json(
            try await useCases.status.statuses(
                of: body.customers ?? [], proven: body.delivery, caller: context.caller))
    }

    @Sendable func refresh(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        let question = try await request.decode(RefreshRequestBody.self, upTo: bodyLimit).question()
        return try .json(try await useCases.refresh.refresh(question, caller: context.caller))
    }

    @Sendable func unlink(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        let body = try await request.decode(UnlinkRequestBody.self, upTo: bodyLimit)
        try body.check()
        return try .json(
            try await useCases.unlinking.unlink(
                body.aliases.identifiers, from: body.customer, reason: body.reason, caller: context.caller))
    }

    @Sendable func reset(
        _ request: Request, _ context: CallerContext<MarketingOrSupportAccess>
    ) async throws -> Response {
        let body = try await request.decode(ResetRequestBody.self, upTo: bodyLimit)
        try body.check()
        let answer = try await useCases.resetting.reset(body.customer, reason: body.reason, caller: context.caller)
        guard let answer else {
            throw Problem(
                .forbidden, "customers of \(context.caller.scope.environment.rawValue) cannot be reset",
                hint: "only testers, in Sandbox and LocalTesting, can; `offerd customers erase` erases a customer")
        }
        return try .json(answer)
    }

    @Sendable func setAttributes(
        _ request: Request, _ context: CallerContext<ClientAccess>
    ) async throws -> Response {
        let body = try await request.decode(AttributesRequestBody.self, upTo: bodyLimit)
        try body.check()
        return try .json(
            try await useCases.attributes.replace(body.attributes, of: body.customer, caller: context.caller))
    }
}

extension AttributesRequestBody {
    /// - Throws: ``RequestFault`` with every value that is not accepted.
    fileprivate func check() throws(RequestFault) {
        var checks = RequestChecks()
        checks.customer(customer)
        checks.attributes(attributes)
        try checks.finish()
    }
}

extension ResetRequestBody {
    /// - Throws: ``RequestFault`` for a member that is not accepted.
    fileprivate func check() throws(RequestFault) {
        var checks = RequestChecks()
        checks.customer(customer)
        checks.text(reason, at: .root.appending("reason"), maximum: RequestRules.identifierLength)
        try checks.finish()
    }
}

extension UnlinkRequestBody {
    /// - Throws: ``RequestFault`` for a member that is not accepted, and if no alias is given.
    fileprivate func check() throws(RequestFault) {
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
    }
}

extension RefreshRequestBody {
    /// The customers asked about.
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
        return .customer(customer ?? CustomerIdentifiers())
    }
}

/// `POST /v1/transactions`: signed data into the history.
struct TransactionsController: Sendable {
    let ingestion: HistoryIngestion
    let limits: HTTPLimits

    @Sendable func ingest(_ request: Request, _ context: CallerContext<ClientOrAppAccess>) async throws -> Response {
        let body = try await request.decode(
            TransactionsRequestBody.self, upTo: limits.signedData(for: context.caller.role))
        try body.check(by: context.caller.role)
        let aliases = body.customer?.identifiers ?? CustomerIdentifiers()
        return try .json(try await ingestion.ingest(body.delivery, aliases: aliases, caller: context.caller))
    }
}
