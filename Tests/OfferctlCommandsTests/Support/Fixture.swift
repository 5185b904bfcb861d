import Foundation

/// Files under `Fixtures/`.
enum Fixture {
    static func data(_ name: String) throws -> Data {
        try Data(contentsOf: Bundle.module.bundleURL.appending(path: "Fixtures/\(name)"))
    }

    static func text(_ name: String) throws -> String {
        String(decoding: try data(name), as: UTF8.self)
    }

    static func body<Body: Decodable>(_ name: String, as type: Body.Type) throws -> Body {
        try JSONDecoder().decode(type, from: try data(name))
    }
}
