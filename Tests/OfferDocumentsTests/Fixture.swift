import Foundation
import Testing

/// Files of the tests and of the repository.
enum Fixture {
    static func bytes(_ path: String) throws -> [UInt8] {
        let root = try #require(Bundle.module.resourceURL).appending(path: "Fixtures")
        return Array(try Data(contentsOf: root.appending(path: path)))
    }

    static func names(_ folder: String) throws -> [String] {
        let root = try #require(Bundle.module.resourceURL).appending(path: "Fixtures/\(folder)")
        return try FileManager.default.contentsOfDirectory(atPath: root.path).sorted()
    }

    /// A file of the repository, such as `Examples/catalog.yaml`.
    static func repository(_ path: String) throws -> [UInt8] {
        var root = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<3 { root.deleteLastPathComponent() }
        return Array(try Data(contentsOf: root.appending(path: path)))
    }
}
