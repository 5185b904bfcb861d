import Foundation
import Hummingbird
import OfferAPI
import OfferApplication
import OfferEligibility
import OfferModel
import OpenSSLCrypto
import SQLiteStore
import Testing
import Yams

@testable import OfferHTTP

@Suite("openapi.yaml agrees with the code")
struct OpenAPITests {
    private let document: [String: Any]
    private let table: RouteTable
    private let apiKeys: APIKeys

    init() throws {
        let text = String(decoding: OfferServer.description, as: UTF8.self)
        document = try #require(try Yams.load(yaml: text) as? [String: Any])
        let useCases = UseCases(
            registry: AppRegistry([]), database: try SQLiteDatabase.inMemory(), digest: OpenSSLDigest(),
            random: OpenSSLRandom(), clock: { ServiceFixture.start })
        table = RouteTable(useCases, limits: HTTPLimits(), openAPI: OfferServer.description)
        apiKeys = useCases.apiKeys
    }

    /// `GET /v1/catalog [marketing, support]` and so on.
    private var described: Set<String> {
        get throws {
            let paths = try #require(document["paths"] as? [String: [String: Any]])
            return Set(
                try paths.flatMap { path, methods in
                    try methods.map { method, call in
                        let call = try #require(call as? [String: Any])
                        let roles = try #require(call["x-roles"] as? [String], "\(method) \(path) has no x-roles")
                        return "\(method.uppercased()) \(path) \(roles)"
                    }
                })
        }
    }

    @Test("method, path and roles of every route are described, and nothing else is")
    func routes() throws {
        let routed = table.routes.map { "\($0.method.rawValue) \($0.path) \($0.roles.map(\.rawValue))" }
        #expect(Set(routed).count == routed.count)
        let described = try self.described
        #expect(described == Set(routed))
    }

    @Test("the router has exactly the table's routes")
    func router() {
        let routed = table.router(apiKeys).routes.map { "\($0.method.rawValue) \($0.path)" }
        #expect(Set(routed) == Set(table.routes.map { "\($0.method.rawValue) \($0.path)" }))
    }

    @Test("calls that need no key say so, and no other does")
    func security() throws {
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        for (path, methods) in paths {
            for (method, call) in methods {
                let isOpen = (call["security"] as? [Any])?.isEmpty == true
                #expect(isOpen == (call["x-roles"] as? [String])?.isEmpty, "\(method) \(path)")
            }
        }
    }

    @Test("the closed lists are those of the code")
    func closedLists() throws {
        let components = try #require(document["components"] as? [String: Any])
        let schemas = try #require(components["schemas"] as? [String: [String: Any]])
        let lists: [String: [String]] = [
            "ProblemCode": ProblemCode.allCases.map(\.rawValue),
            "RequestErrorCode": RequestErrorCode.allCases.map(\.rawValue),
            "Environment": AppStoreEnvironment.allCases.map(\.rawValue),
            "OfferType": OfferType.allCases.map(\.rawValue), "Delivery": Delivery.allCases.map(\.rawValue),
            "SignatureFormat": SignatureFormat.allCases.map(\.rawValue),
            "SlotState": SlotState.allCases.map(\.rawValue), "Outcome": Outcome.allCases.map(\.rawValue),
            "Verdict": Verdict.allCases.map(\.rawValue), "Provenance": Provenance.allCases.map(\.rawValue),
            "SubscriptionState": SubscriptionStateName.allCases.map(\.rawValue),
        ]
        for (name, expected) in lists {
            #expect(schemas[name]?["enum"] as? [String] == expected, "\(name)")
        }
    }

    @Test("every reference leads somewhere")
    func references() throws {
        var dangling = [String]()
        func look(_ node: Any) {
            if let map = node as? [String: Any] {
                if let reference = map["$ref"] as? String {
                    var target: Any? = document
                    for part in reference.dropFirst(2).split(separator: "/") {
                        target = (target as? [String: Any])?[String(part)]
                    }
                    if target == nil { dangling.append(reference) }
                }
                map.values.forEach(look)
            } else if let list = node as? [Any] {
                list.forEach(look)
            }
        }
        look(document)
        #expect(dangling.isEmpty)
    }
}
