import Foundation
import OfferAPI

/// Files under `Fixtures/`.
enum Fixture {
    static func data(_ name: String) throws -> Data {
        try Data(contentsOf: Bundle.module.bundleURL.appending(path: "Fixtures/\(name)"))
    }

    static func text(_ name: String) throws -> String {
        String(decoding: try data(name), as: UTF8.self)
    }

    static func body<Body: WireValue>(_ name: String, as type: Body.Type) throws -> Body {
        try WireJSON.decode(type, from: Array(try data(name)))
    }
}
