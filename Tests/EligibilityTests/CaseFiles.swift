import Foundation
import OfferDocuments
import OfferModel

/// A case of a file, as an argument of a test.
struct FiledCase: Sendable, CustomStringConvertible {
    let source: String
    let file: CaseFile
    let testCase: OfferCase

    var description: String { "\(source): \(testCase.name)" }

    /// The request, if it expects an answer.
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
        try Fixtures.caseFiles().flatMap { url in
            let document = try CaseReader.read(
                Array(Data(contentsOf: url)), catalog: Fixtures.catalog)
            return document.value.cases.map {
                FiledCase(
                    source: url.deletingPathExtension().lastPathComponent, file: document.value, testCase: $0)
            }
        }
    }
}

/// The cases as files.
enum Fixtures {
    /// The cases that other implementations run too.
    private static let cases = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Examples/conformance/cases")

    /// A catalog that a case file names.
    static func catalog(_ path: String) -> Catalog? {
        guard let bytes = try? Data(contentsOf: cases.appending(path: path)) else { return nil }
        return try? CatalogReader.read(Array(bytes)).value
    }

    static func caseFiles() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: cases, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }.sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}
