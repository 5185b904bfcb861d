import Foundation
import Hummingbird
import OfferApplication
import OfferModel
import OpenSSLCrypto
import SQLiteStore
import Testing

@testable import OfferHTTP

@Suite("openapi.yaml agrees with the code")
struct OpenAPITests {
    private let document: OpenAPIDocument
    private let table: RouteTable
    private let apiKeys: APIKeys

    init() throws {
        document = try OpenAPIDocument()
        let useCases = UseCases(
            registry: AppRegistry([]), database: try SQLiteDatabase.inMemory(), digest: OpenSSLDigest(),
            random: OpenSSLRandom(), clock: { ServiceFixture.start })
        table = RouteTable(useCases, limits: HTTPLimits())
        apiKeys = useCases.apiKeys
    }

    @Test("method, path and roles of every route are described, and nothing else is")
    func routes() throws {
        let routed = table.routes.map { "\($0.method.rawValue) \($0.path) \($0.roles.map(\.rawValue))" }
        #expect(Set(routed).count == routed.count)
        #expect(Set(try document.calls.map { "\($0.name) \($0.roles)" }) == Set(routed))
    }

    @Test("the router has exactly the table's routes")
    func router() {
        let routed = table.router(apiKeys).routes.map { "\($0.method.rawValue) \($0.path)" }
        #expect(Set(routed) == Set(table.routes.map { "\($0.method.rawValue) \($0.path)" }))
    }

    @Test("calls that need no key say so, and no other does")
    func security() throws {
        for call in try document.calls {
            let isOpen = (try document.entry(call.name)["security"] as? [Any])?.isEmpty == true
            #expect(isOpen == call.roles.isEmpty, "\(call.name)")
        }
    }

    @Test("every reference leads somewhere")
    func references() throws {
        var dangling = [String]()
        func look(_ node: Any) {
            if let map = node as? [String: Any] {
                if let reference = map["$ref"] as? String {
                    var target: Any? = document.root
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
        look(document.root)
        #expect(dangling.isEmpty)
    }
}
