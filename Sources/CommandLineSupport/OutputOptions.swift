import ArgumentParser
import Foundation
import OfferAPI
import Yams

package enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
    case json
    case yaml
    case wide
}

/// How a command prints its result: as text in the width of the terminal, or in an ``OutputFormat``.
package struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON: the same as `-o json`.")
    var json = false

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("json, yaml, or wide: all columns of tables, and no line wrapped.", valueName: "format"))
    var output: OutputFormat?

    package init() {}

    package mutating func validate() throws {
        guard !json || output == nil else { throw ValidationError("use either `--json` or `--output`") }
        if format == .wide { Console.keepNotesWhole() }
    }

    private var format: OutputFormat? { json ? .json : output }

    package var isGiven: Bool { format != nil }

    /// Whether the result is for a program.
    package var isData: Bool { format == .json || format == .yaml }

    package var palette: Palette { format == .wide ? Console.palette.fitting(nil) : Console.palette }

    /// The result for a program; `nil` if it is for people.
    package func data(_ json: @autoclosure () throws -> String) throws -> String? {
        switch format {
        case .json: try json()
        case .yaml: try WireJSON.decode(JSONValue.self, from: Array(json().utf8)).yaml
        case .wide, nil: nil
        }
    }
}

extension JSONValue {
    package var yaml: String {
        get throws { try Yams.serialize(node: node, width: -1, allowUnicode: true) }
    }

    private var node: Node {
        switch self {
        case .null: Node("null", Tag(.null))
        case .boolean(let flag): Node("\(flag)", Tag(.bool))
        case .integer(let whole): Node("\(whole)", Tag(.int))
        case .number(let number): Node("\(number)", Tag(.float))
        case .text(let text): Self.node(text)
        case .list(let items): Node(items.map(\.node))
        case .object(let members): Node(members.sorted { $0.key < $1.key }.map { (Self.node($0), $1.node) })
        }
    }

    /// In quotes where it would be read as anything but this text; several lines stay lines.
    private static func node(_ text: String) -> Node {
        var scalar: Node.Scalar = text.represented()
        let breaks = text.unicodeScalars.filter { ["\n", "\u{2028}", "\u{2029}"].contains($0) }
        if !breaks.isEmpty { scalar.style = breaks.allSatisfy { $0 == "\n" } ? .literal : .doubleQuoted }
        return .scalar(scalar)
    }
}
