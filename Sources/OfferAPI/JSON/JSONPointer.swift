import JSON

/// A place in a JSON document (RFC 6901).
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// The whole document.
    public static let root = JSONPointer(description: "")

    /// The member of that name; `~` and `/` in it are escaped.
    public func appending(_ member: some StringProtocol) -> JSONPointer {
        var escaped = ""
        for character in member.unicodeScalars {
            switch character {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return JSONPointer(description: "\(description)/\(escaped)")
    }

    /// The element with that index, from 0.
    public func appending(_ index: Int) -> JSONPointer {
        JSONPointer(description: "\(description)/\(index)")
    }
}

extension JSONPointer {
    init(_ path: [JSONStep]) {
        self = path.reduce(.root) { pointer, step in
            switch step {
            case .member(let name): pointer.appending(String(decoding: name, as: UTF8.self))
            case .element(let index): pointer.appending(index)
            }
        }
    }
}
