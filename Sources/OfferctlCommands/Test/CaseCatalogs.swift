import Foundation
import OfferCatalog
import OfferModel

/// The catalogs that files of cases name, each read once.
struct CaseCatalogs {
    private var catalogs: [String: Catalog?] = [:]
    /// What is wrong with them: every error with its file and line, each catalog once.
    private(set) var messages: [String] = []

    /// The catalog at a path relative to the file that names it; `nil` if it cannot be used.
    mutating func read(_ path: String, namedIn file: String) -> Catalog? {
        let place = path.hasPrefix("/") ? path : Self.joined(file, path)
        if let known = catalogs[place] { return known }
        let catalog = read(place)
        catalogs.updateValue(catalog, forKey: place)
        return catalog
    }

    private mutating func read(_ place: String) -> Catalog? {
        do {
            return try CatalogReader.read(FileDocument.read(place)).value
        } catch let failure as CommandFailure {
            messages += failure.messages
        } catch let invalid as InvalidDocument {
            messages += invalid.errors.flatMap { IssueText.lines($0, severity: .error, file: place) }
        } catch {
            messages.append("error: `\(place)` cannot be read".printable)
        }
        return nil
    }

    /// The path as people would write it: `Examples/cases/../usage-trial.yaml` is `Examples/usage-trial.yaml`.
    private static func joined(_ file: String, _ path: String) -> String {
        var steps = file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        for step in path.split(separator: "/") {
            if step == ".", !steps.isEmpty { continue }
            if step == "..", let last = steps.last, last != "..", last != ".", last != "" {
                steps.removeLast()
            } else {
                steps.append(step)
            }
        }
        return steps.joined(separator: "/")
    }
}
