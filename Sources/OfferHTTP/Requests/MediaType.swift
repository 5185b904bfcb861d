import HTTPTypes
import Hummingbird

/// The media types this API reads and writes.
enum MediaType: String, Sendable, CaseIterable {
    /// JSON.
    case json = "application/json"
    /// YAML.
    case yaml = "application/yaml"

    /// Names that mean the same.
    private static let names: [String: MediaType] = [
        "application/json": .json, "application/yaml": .yaml, "application/x-yaml": .yaml, "text/yaml": .yaml,
    ]

    /// What the body is; `nil` if the header is absent, names something else or a character set other than UTF-8.
    static func ofBody(_ request: Request) throws -> MediaType? {
        guard let value = request.headers[.contentType] else { return nil }
        if value == Self.json.rawValue { return .json }
        let parts = value.split(separator: ";").map { $0.trimmed.lowercased() }
        let isUTF8 = parts.dropFirst().allSatisfy {
            !$0.hasPrefix("charset=") || $0 == "charset=utf-8" || $0 == "charset=\"utf-8\""
        }
        guard isUTF8, let name = parts.first else { return nil }
        return names[name]
    }

    /// The one of two that the client would rather have; the default where it does not say, or wants something else
    /// altogether (RFC 9110 §12.4.1 lets a server answer then as if nothing had been asked).
    static func preferred(_ request: Request, default fallback: MediaType) -> MediaType {
        var best: (type: MediaType, weight: Double)?
        for range in request.headers[values: .accept].flatMap({ $0.split(separator: ",") }) {
            let parts = range.split(separator: ";").map { $0.trimmed.lowercased() }
            guard let name = parts.first else { continue }
            let type = name == "*/*" || name == "application/*" ? fallback : names[name]
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if let type, weight > best?.weight ?? 0 { best = (type, weight) }
        }
        return best?.type ?? fallback
    }
}

extension Substring {
    /// Without spaces and tabs at both ends.
    var trimmed: Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return ""
        }
        return self[first...last]
    }
}
