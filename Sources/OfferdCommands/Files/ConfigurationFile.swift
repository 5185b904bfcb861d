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
        for place in places {
            var status = stat()
            guard stat(place, &status) == 0 else { continue }
            try requireControl(place, status)
            return place
        }
        let names = places.map { "`\($0)`" }.joined(separator: " nor ")
        throw CommandFailure(
            .usage, "no configuration is given, and there is neither \(names)",
            hints: ["`offerd init` makes one; `--config` names one elsewhere"])
    }

    /// Refuses a file that another user may have put where this one works: it can name a PKCS #11 module, which is code.
    private static func requireControl(_ place: String, _ status: stat) throws(CommandFailure) {
        guard let control = ForeignControl(status) else { return }
        let reason =
            switch control {
            case .owner(let name): "it belongs to `\(name)`"
            case .permissions: "others can change it"
            }
        throw CommandFailure(
            .usage, "no configuration is given, and `\(place)` is not taken by itself: \(reason)",
            hints: ["if it is the right one, give it: `--config \(place)`"])
    }

    /// A hint that names the file where it was found and a failure does not name it.
    static func hint(for failure: CommandFailure) -> [String] {
        guard let path = found.withLock({ $0 }), !failure.lines.isEmpty,
            !failure.lines.contains(where: { $0.contains("`\(path)`") || $0.contains("(\(path):") })
        else { return [] }
        return ["hint: the configuration is `\(path)`; `--config` names another"]
    }
}
