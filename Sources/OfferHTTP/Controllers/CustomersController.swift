import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `/v1/customers` and `/v1/transactions`: one customer's story, what Apple knows of them, what the app sends of them, sets
/// for them and calls them.
struct CustomersController: Sendable {
    let useCases: UseCases
    let limits: HTTPLimits
    private var bodyLimit: Int { limits.bodyBytes }

    @Sendable func show(_ request: Request, _ context: CallerContext) async throws -> Response {
        var query = try QueryParameters(request, known: CustomerQuery.names + ["identifier", "limit", "cursor"])
        let limit = query.limit()
        let cursor = query.text("cursor").flatMap { text in
            let cursor = TimelineCursor(text: text)
            if cursor == nil { query.refuseCursor("cursor") }
            return cursor
        }
        switch try CustomerQuery.readNamed(&query) {
        case .any(let text):
            return try .json(
                try await useCases.customers.story(ofAny: text, limit: limit, from: cursor, caller: context.caller))
        case .identifiers(let customer):
            return try .json(
                try await useCases.customers.story(customer, limit: limit, from: cursor, caller: context.caller))
        }
    }

    @Sendable func status(_ request: Request, _ context: CallerContext) async throws -> Response {
        let body = try await request.decode(
            StatusRequestBody.self, upTo: limits.signedData(for: context.caller.role), by: context)
        return try .json(
            try await useCases.status.statuses(
                of: body.customers ?? [], proven: body.delivery, caller: context.caller))
    }

    @Sendable func refresh(_ request: Request, _ context: CallerContext) async throws -> Response {
        let body = try await request.decode(RefreshRequestBody.self, upTo: bodyLimit, by: context)
        return try .json(try await useCases.refresh.refresh(body.question, caller: context.caller))
    }

    @Sendable func unlink(_ request: Request, _ context: CallerContext) async throws -> Response {
        let body = try await request.decode(UnlinkRequestBody.self, upTo: bodyLimit, by: context)
        return try .json(
            try await useCases.changes.unlink(
                body.aliases.identifiers, from: body.customer, reason: body.reason, caller: context.caller))
    }

    @Sendable func reset(_ request: Request, _ context: CallerContext) async throws -> Response {
        let body = try await request.decode(ResetRequestBody.self, upTo: bodyLimit, by: context)
        let answer = try await useCases.changes.reset(body.customer, reason: body.reason, caller: context.caller)
        guard let answer else {
            throw Problem(
                .forbidden, "customers of \(context.caller.scope.environment.rawValue) cannot be reset",
                hint: "only testers, in Sandbox and LocalTesting, can; `offerd customers erase` erases a customer")
        }
        return try .json(answer)
    }

    @Sendable func setAttributes(_ request: Request, _ context: CallerContext) async throws -> Response {
        let body = try await request.decode(AttributesRequestBody.self, upTo: bodyLimit, by: context)
        return try .json(
            try await useCases.changes.replace(body.attributes, of: body.customer, caller: context.caller))
    }

    /// `POST /v1/transactions`: signed data into the history.
    @Sendable func ingest(_ request: Request, _ context: CallerContext) async throws -> Response {
        let body = try await request.decode(
            TransactionsRequestBody.self, upTo: limits.signedData(for: context.caller.role), by: context)
        let aliases = body.customer?.identifiers ?? CustomerIdentifiers()
        return try .json(try await useCases.ingestion.ingest(body.delivery, aliases: aliases, caller: context.caller))
    }
}

extension AttributesRequestBody: CheckedRequest {
    func check(_ checks: inout RequestChecks, by role: Role) {
        checks.customer(customer)
        checks.attributes(attributes)
    }
}

extension ResetRequestBody: CheckedRequest {
    func check(_ checks: inout RequestChecks, by role: Role) {
        checks.customer(customer)
        checks.text(reason, at: .root.appending("reason"))
    }
}

extension UnlinkRequestBody: CheckedRequest {
    func check(_ checks: inout RequestChecks, by role: Role) {
        checks.customer(customer)
        checks.text(aliases.customerId?.rawValue, at: .root.appending("aliases").appending("customerId"))
        checks.text(reason, at: .root.appending("reason"))
        if aliases.appAccountToken == nil, aliases.customerId == nil {
            checks.add(
                .root.appending("aliases"), .missingMember, "the request names no alias to detach",
                hint: "give an `appAccountToken` or a `customerId`")
        }
    }
}

extension RefreshRequestBody: CheckedRequest {
    /// Exactly one member is to be given.
    func check(_ checks: inout RequestChecks, by role: Role) {
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
    }

    fileprivate var question: RefreshQuestion {
        orderId.map { .order($0) } ?? .customer(customer ?? CustomerIdentifiers())
    }
}
