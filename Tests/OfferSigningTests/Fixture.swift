import Foundation

/// Files beside these tests.
enum Fixture {
    struct Missing: Error {
        let name: String
    }

    static func url(_ name: String) throws -> URL {
        guard let url = Bundle.module.url(forResource: "Fixtures", withExtension: nil) else {
            throw Missing(name: name)
        }
        return url.appending(path: name)
    }
}
