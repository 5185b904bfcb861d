import Foundation

/// A file of `Tests/Goldens`: what the program writes today, byte for byte. A change of one is a change of a contract.
public struct Golden: Sendable {
    private let url: URL

    /// The golden file of that name.
    public init(_ name: String) {
        url = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Goldens/\(name)")
    }

    /// The first line that differs; `nil` if nothing does.
    ///
    /// With `RECORD_GOLDENS` in the environment the file is written instead: read the difference before you commit it.
    public func difference(from text: String) throws -> String? {
        if ProcessInfo.processInfo.environment["RECORD_GOLDENS"] != nil {
            try Data(text.utf8).write(to: url)
            return nil
        }
        let expected = try String(contentsOf: url, encoding: .utf8)
        guard expected != text else { return nil }
        let (old, new) = (expected.components(separatedBy: "\n"), text.components(separatedBy: "\n"))
        let line = zip(old, new).prefix { $0 == $1 }.count
        func found(in lines: [String]) -> String { line < lines.count ? lines[line] : "the end" }
        return "\(url.lastPathComponent):\(line + 1)\nexpected: \(found(in: old))\nfound:    \(found(in: new))"
    }
}
