import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `/v1/simulations` and the search for customers: how many there are, and who.
struct SimulationsController: Sendable {
    let useCases: UseCases
    let limits: HTTPLimits

    /// `POST`: begins to count.
    @Sendable func start(_ request: Request, _ context: CallerContext) async throws -> Response {
        let bytes = try await request.jsonBytes(upTo: limits.signedDataBytes)
        let values = HTTPLimits.values(inBody: limits.bodyBytes)
        let body =
            bytes.count <= limits.bodyBytes
            ? try WireJSON.decodeRequest(SimulationRequest.self, from: bytes, values: values)
            : try await useCases.shares.suppositions.run {
                try WireJSON.decodeRequest(SimulationRequest.self, from: bytes, values: values)
            }
        try body.check(by: context.caller.role)
        let started = try await useCases.simulations.start(body, caller: context.caller)
        return try .json(started, status: .accepted, headers: [.location: "/v1/simulations/\(started.id)"])
    }

    @Sendable func show(_ request: Request, _ context: CallerContext) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        return try .json(try await useCases.simulations.show(try context.simulationId(), caller: context.caller))
    }

    /// `DELETE`: cancels what is not done. The result of what is done stays for its day.
    @Sendable func cancel(_ request: Request, _ context: CallerContext) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        return try .json(try await useCases.simulations.cancel(try context.simulationId(), caller: context.caller))
    }

    /// `POST /v1/customers/search`.
    @Sendable func search(_ request: Request, _ context: CallerContext) async throws -> Response {
        let body = try await request.decode(CustomerSearchRequest.self, upTo: limits.bodyBytes, by: context)
        return try .json(try await useCases.search.page(body, caller: context.caller))
    }
}

extension CallerContext {
    fileprivate func simulationId() throws -> LowercaseUUID {
        try pathId({ LowercaseUUID($0) }, or: RequestError.unknownSimulation)
    }
}

extension SimulationRequest: CheckedRequest {
    func check(_ checks: inout RequestChecks, by role: Role) {
        checks.text(offerId.rawValue, at: .root.appending("offerId"))
        checks.instant(asOf, at: .root.appending("asOf"))
    }
}

extension CustomerSearchRequest: CheckedRequest {
    func check(_ checks: inout RequestChecks, by role: Role) {
        guard !Self.limits.contains(limit) else { return }
        checks.add(
            .root.appending("limit"), .invalidValue,
            "`\(limit)` is not from \(Self.limits.lowerBound) to \(Self.limits.upperBound)",
            hint: "leave it out for pages of \(Self.usualLimit)")
    }
}
