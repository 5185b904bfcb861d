import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

extension SimulationRequest {
    static func of(_ offer: OfferId, _ fill: (inout SimulationRequest) -> Void = { _ in }) -> SimulationRequest {
        var request = SimulationRequest()
        request.offerId = offer
        fill(&request)
        return request
    }
}

extension AudienceCount {
    /// The number; of few customers -1.
    var told: Int {
        switch self {
        case .exactly(let number): number
        case .fewerThan: -1
        }
    }
}

extension Simulations {
    /// Waits until one has ended.
    func ended(_ id: LowercaseUUID, caller: Caller = Workbench.support) async throws -> SimulationBody {
        while true {
            let body = try await show(id, caller: caller)
            if body.state != .running { return body }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

extension Workbench {
    /// The result of a simulation.
    func simulated(
        _ request: SimulationRequest, caller: Caller = Workbench.support,
        location: SourceLocation = #_sourceLocation
    ) async throws -> SimulationResult {
        let started = try await useCases.simulations.start(request, caller: caller)
        let body = try await useCases.simulations.ended(started.id, caller: caller)
        #expect(body.state == .done, "\(body)", sourceLocation: location)
        return try #require(body.result, sourceLocation: location)
    }

    /// Customers `<first>`, `<first + 1>` and so on, each in a scene, with an id of the app's own.
    func admit(_ scenes: [Scene], from first: Int = 100, complete: Bool = true) async throws {
        for (place, scene) in scenes.enumerated() {
            let id = "\(first + place)"
            try await deliver(
                try shop.delivery(scene, id, complete: complete),
                aliases: CustomerIdentifiers(customerId: CustomerId("user-\(id)")))
        }
    }

    func setAttributes(_ attributes: [String: FactValue], of id: String) async throws {
        _ = try await useCases.changes.replace(
            attributes, of: CustomerIdentifiers(appTransactionId: AppTransactionId("app-\(id)")), caller: Self.client)
    }
}
