import Foundation

/// Files under `Fixtures/`.
enum Fixture {
    static let folder = Bundle.module.bundleURL.appending(path: "Fixtures")

    static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
}
