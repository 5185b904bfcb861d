import Foundation
import OfferDocuments
import OfferEligibility
import OfferModel

/// A case of a file, as an argument of a test.
struct FiledCase: Sendable, CustomStringConvertible {
    let source: String
    let file: CaseFile
    let testCase: OfferCase

    var description: String { "\(source): \(testCase.name)" }

    /// What it asks, if it expects an answer.
    var question: Question? {
        guard testCase.expected.outcome != nil, let id = testCase.offer, let offer = file.offer(id) else { return nil }
        return file.question(testCase, about: offer)
    }

    var facts: SubjectFacts { file.facts(of: testCase) }

    /// Every case of our own files, read as `offerctl test` reads them, in the order of the files.
    static func all() throws -> [FiledCase] {
        try loaded.get()
    }

    /// Read once, because every rule is turned around over all of them.
    private static let loaded = Result { try load() }

    private static func load() throws -> [FiledCase] {
        try Fixtures.files("json").flatMap { url in
            let document = try CaseReader.read(
                Array(Data(contentsOf: url)), vocabulary: .evaluator, catalog: Fixtures.catalog)
            return document.value.cases.map {
                FiledCase(
                    source: url.deletingPathExtension().lastPathComponent, file: document.value, testCase: $0)
            }
        }
    }
}

/// The files of these tests.
enum Fixtures {
    /// A catalog beside the case files.
    static func catalog(_ path: String) -> Catalog? {
        guard let url = Bundle.module.url(forResource: "Fixtures/\(path)", withExtension: nil),
            let bytes = try? Data(contentsOf: url)
        else { return nil }
        return try? CatalogReader.read(Array(bytes)).value
    }

    static func files(_ ending: String) throws -> [URL] {
        guard let folder = Bundle.module.url(forResource: "Fixtures", withExtension: nil) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == ending }.sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}
