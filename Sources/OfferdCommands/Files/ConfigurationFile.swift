import CommandLineSupport
import Foundation
import Synchronization

/// The configuration that a command works by: the one that is given, or else the first in one of the usual places.
enum ConfigurationFile {
    static let places = ["offerd.yaml", "/etc/offerd/offerd.yaml"]

    /// Found once, so that a server reads the same file again.
    private static let found = Mutex<String?>(nil)

    static func path(_ given: String?) throws -> String {
        if let given { return given }
        return try found.withLock { found in
            let path = try found ?? search(places)
            found = path
            return path
        }
    }

    static func search(_ places: [String]) throws -> String {
        if let place = places.first(where: FileManager.default.fileExists) { return place }
        let names = places.map { "`\($0)`" }.joined(separator: " nor ")
        throw CommandFailure(
            .usage, "no configuration is given, and there is neither \(names)",
            hints: ["`offerd init` makes one; `--config` names one elsewhere"])
    }

    /// A hint that names the file where it was found and a failure does not name it.
    static func hint(for failure: CommandFailure) -> [String] {
        guard let path = found.withLock({ $0 }), !failure.lines.isEmpty,
            !failure.lines.contains(where: { $0.contains("`\(path)`") || $0.contains("(\(path):") })
        else { return [] }
        return ["hint: the configuration is `\(path)`; `--config` names another"]
    }
}
