import AsyncHTTPClient
import Foundation
import NIOCore
import OfferModel
import Synchronization

/// Sends the requests of one round and notes what came back, in the order of the test's own clock.
final class ModelClient: Sendable {
    private let servers: [RunningServer]
    private let http: HTTPClient
    private let installation: Installation
    private let customers: ModelCustomers
    private let ticks: Ticks
    private let moments: [Moment]

    /// Places in the order of everything that is sent and received.
    final class Ticks: Sendable {
        private let next = Mutex(0)

        func tick() -> Int {
            next.withLock {
                $0 += 1
                return $0
            }
        }
    }

    /// Something that happens in the midst of a round: as soon as that many answers have come.
    final class Moment: Sendable {
        private let remaining: Mutex<Int>
        private let action: @Sendable () async throws -> Void

        init(afterAnswers count: Int, _ action: @escaping @Sendable () async throws -> Void) {
            remaining = Mutex(count)
            self.action = action
        }

        fileprivate func answered() async throws {
            let isNow = remaining.withLock {
                $0 -= 1
                return $0 == 0
            }
            if isNow { try await action() }
        }
    }

    /// Nobody asks more often than that while the answer is that too much is waiting.
    private static let mostSends = 100

    init(
        _ servers: [RunningServer], _ http: HTTPClient, _ installation: Installation, _ customers: ModelCustomers,
        _ ticks: Ticks, moments: [Moment]
    ) {
        self.servers = servers
        self.http = http
        self.installation = installation
        self.customers = customers
        self.ticks = ticks
        self.moments = moments
    }

    /// Sends a client's requests one after the other. A client whose request was lost stops there.
    func run(_ requests: some Sequence<ModelRequest>) async throws -> [ModelTrace] {
        var traces: [ModelTrace] = []
        for request in requests {
            let trace = try await ask(request)
            traces.append(trace)
            if trace.answers.isEmpty, trace.sends.last?.answer == nil { break }
        }
        return traces
    }

    private func ask(_ request: ModelRequest) async throws -> ModelTrace {
        var trace = ModelTrace(request: request)
        if let patience = request.hangsUpAfter {
            trace.sends.append(try await send(request, timeout: .milliseconds(patience)))
            // What the first left behind is done once an equal request has its answer.
            for _ in 0..<Self.mostSends where trace.sends.count == 1 || trace.sends.last?.answer?.status == 503 {
                trace.sends.append(try await send(request, timeout: .seconds(60)))
            }
        } else {
            trace.sends.append(try await send(request, timeout: .seconds(60)))
        }
        if request.looks, let answer = trace.sends.last?.answer, answer.status == 201,
            let id = answer.json["issuedOfferId"] as? String
        {
            trace.looked = try await look(id, at: request.server + 1)
        }
        return trace
    }

    private func send(_ request: ModelRequest, timeout: TimeAmount) async throws -> ModelTrace.Send {
        let server = servers[request.server % servers.count]
        let (method, path, role, body) = try call(request)
        let headers = request.key.map { ["Idempotency-Key": $0] } ?? [:]
        let token = try installation.token(role)
        var send = ModelTrace.Send(started: ticks.tick())
        send.answer = try? await server.ask(
            method, path, token: token, body: body, headers: headers, client: http, timeout: timeout)
        guard send.answer != nil else { return send }
        send.ended = ticks.tick()
        for moment in moments { try await moment.answered() }
        return send
    }

    private func look(_ id: String, at server: Int) async throws -> Int? {
        let answer = try? await servers[server % servers.count].ask(
            "GET", "/v1/issued-offers/\(id)", token: try installation.token(.client), client: http)
        return answer?.status
    }

    private func call(_ request: ModelRequest) throws -> (String, String, Role, String) {
        switch request.work {
        case .issue(let ask, _):
            ("POST", "/v1/issued-offers", .client, try body(ask, request))
        case .void(let issuedOffer, let release):
            (
                "POST", "/v1/issued-offers/\(issuedOffer)/void", .support,
                #"{"reason":"\#(request.number)","release":\#(release)}"#
            )
        case .redeem(let redemption):
            ("POST", "/v1/transactions", .client, "{\(try customers.redemption(redemption))}")
        case .dryRun(let customer):
            ("POST", "/v1/decisions", .client, Self.dryRun(of: customer))
        }
    }

    static func dryRun(of customer: Int) -> String {
        #"{"customer":{"originalTransactionId":"\#(ModelCustomers.original(customer))"}}"#
    }

    private func body(_ ask: ModelLedger.Ask, _ request: ModelRequest) throws -> String {
        let member =
            ask.plan.reference == ModelCustomers.account(ask.customer) ? "appTransactionId" : "originalTransactionId"
        let token = ask.plan.appAccountToken.map { #","appAccountToken":"\#($0)""# } ?? ""
        let data = try request.brings.map { ",\(try customers.redemption($0))" } ?? ""
        let formats = ask.plan.formats.sorted().map { "\"\($0)\"" }.joined(separator: ",")
        return """
            {"offerId":"\(ask.offer)","customer":{"\(member)":"\(ask.plan.reference)"\(token)},"fresh":\(ask.isFresh),\
            "formats":[\(formats)],"signals":{"number":\(request.number)}\(data)}
            """
    }
}
