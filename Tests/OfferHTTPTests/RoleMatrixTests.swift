import Foundation
import OfferApplication
import OfferModel
import Testing
import Yams

@testable import OfferHTTP

@Suite("Who may call what")
struct RoleMatrixTests {
    /// A call as `openapi.yaml` describes it.
    private struct Call {
        var method: String
        var path: String
        var roles: [String]
    }

    private func calls() throws -> [Call] {
        let text = String(decoding: OfferServer.description, as: UTF8.self)
        let document = try #require(try Yams.load(yaml: text) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        return paths.flatMap { path, methods in
            methods.map { Call(method: $0.uppercased(), path: path, roles: $1["x-roles"] as? [String] ?? []) }
        }
    }

    @Test("every route lets in exactly the roles openapi.yaml names, and admin")
    func matrix() async throws {
        let calls = try calls().filter { !$0.roles.isEmpty }
        #expect(calls.count == 18)
        try await ServiceFixture.run { service in
            for role in Role.allCases {
                let token = try await service.token(role)
                for call in calls {
                    let path = call.path.replacingOccurrences(of: "{id}", with: "00000000-0000-4000-8000-000000000000")
                    let answer = try await service.ask(
                        call.method, path, token: token, body: call.method == "GET" ? nil : "{}")
                    let isAllowed = role == .admin || call.roles.contains(role.rawValue)
                    let name: Comment = "\(role.rawValue) \(call.method) \(call.path): \(answer.status)"
                    #expect((answer.status == 403) == !isAllowed, name)
                    #expect(answer.status != 401 && answer.status < 500, name)
                    guard !isAllowed else { continue }
                    #expect(answer.code == "forbidden", name)
                    #expect(answer.json["detail"] as? String == "the API key has the role `\(role.rawValue)`")
                    for needed in call.roles {
                        #expect((answer.json["hint"] as? String)?.contains("`\(needed)`") == true, name)
                    }
                }
            }
        }
    }

    @Test(
        "without a key in force every route but the open ones answers 401",
        arguments: [
            nil, "Bearer", "Bearer x", "Basic eDp5", "Bearer offerd_0000000000000000_00", "bearer  ",
            "Bearer offerd_0123456789abcdef_" + String(repeating: "0", count: 64), "Bearer a b",
        ])
    func unauthenticated(_ authorization: String?) async throws {
        let calls = try calls()
        try await ServiceFixture.run { service in
            for call in calls {
                let answer = try await service.ask(
                    call.method, call.path, headers: authorization.map { [("Authorization", $0)] } ?? [])
                guard !call.roles.isEmpty else {
                    #expect(answer.status == 200)
                    continue
                }
                #expect(answer.status == 401)
                #expect(answer.code == "unauthenticated")
                #expect(answer.headers["www-authenticate"] == "Bearer")
            }
        }
    }

    @Test("a revoked or expired key is let in no longer, from the next request on")
    func endedKeys() async throws {
        try await ServiceFixture.run { service in
            let short = try await service.token(
                .support, expiresAt: ServiceFixture.start.adding(milliseconds: 1_000))
            let long = try await service.token(.support)
            let target = "/v1/issued-offers"
            #expect(try await service.ask("GET", target, token: short).status == 200)
            #expect(try await service.ask("GET", target, token: long).status == 200)
            service.clock.advance(milliseconds: 1_000)
            let id = try #require(long.split(separator: "_").dropFirst().first)
            #expect(try await service.useCases.apiKeys.revoke(String(id)))
            #expect(try await service.ask("GET", target, token: short).status == 401)
            #expect(try await service.ask("GET", target, token: long).status == 401)
        }
    }

    @Test("two Authorization headers are none")
    func twoHeaders() async throws {
        try await ServiceFixture.run { service in
            let token = try await service.token(.support)
            let answer = try await service.ask(
                "GET", "/v1/issued-offers", token: token, headers: [("Authorization", "Bearer \(token)")])
            #expect(answer.status == 401)
        }
    }
}
