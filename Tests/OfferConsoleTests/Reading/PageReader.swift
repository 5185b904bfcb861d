/// Reads a page the way a browser does, but forgives nothing: what is not plain HTML as the console means to write it is a
/// fault. It shares no line with what writes the pages.
struct PageReader {
    struct Fault: Error, CustomStringConvertible {
        var description: String
    }

    /// The page as one element without a name.
    static func read(_ bytes: [UInt8]) throws -> PageElement {
        var reader = PageReader(rest: bytes[...])
        guard reader.take("<!doctype html>") else { throw reader.fault("no doctype") }
        while !reader.rest.isEmpty { try reader.node() }
        guard reader.open.count == 1 else { throw reader.fault("`\(reader.open[reader.open.count - 1].name)` is open") }
        return reader.open[0]
    }

    private static let void: Set = ["br", "hr", "img", "input", "link", "meta"]
    private static let references = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "#39": "'"]

    private var rest: ArraySlice<UInt8>
    private var open = [PageElement(name: "")]

    private var isInSVG: Bool { open.contains { $0.name == "svg" } }

    private func fault(_ words: String) -> Fault {
        Fault(description: "\(words), at `\(String(decoding: rest.prefix(80), as: UTF8.self))`")
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    private mutating func take(while isPart: (UInt8) -> Bool) -> String {
        let part = rest.prefix(while: isPart)
        rest = rest.dropFirst(part.count)
        return String(decoding: part, as: UTF8.self)
    }

    private mutating func name() throws -> String {
        let name = take { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard !name.isEmpty else { throw fault("a name is missing") }
        return name
    }

    private mutating func node() throws {
        if take("</") {
            let name = try name()
            guard open.count > 1, open[open.count - 1].name == name, take(">") else { throw fault("`\(name)` ends") }
            close()
        } else if take("<") {
            try start()
        } else {
            try text(take { $0 != UInt8(ascii: "<") })
        }
    }

    private mutating func close() {
        let element = open.removeLast()
        open[open.count - 1].children.append(.element(element))
    }

    private mutating func text(_ written: String) throws {
        guard !written.utf8.isEmpty else { return }
        open[open.count - 1].children.append(.text(try decoded(written)))
    }

    private mutating func start() throws {
        var element = PageElement(name: try name())
        while !take(">") {
            if isInSVG, take("/>") {
                open[open.count - 1].children.append(.element(element))
                return
            }
            guard take(" ") else { throw fault("`\(element.name)` is not well formed") }
            let name = try name()
            guard element.attributes[name] == nil else { throw fault("`\(name)` is given twice") }
            var value = ""
            if take("=") {
                guard take("\"") else { throw fault("the value of `\(name)` has no quotation marks") }
                value = try decoded(take { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "<") })
                guard take("\"") else { throw fault("the value of `\(name)` does not end") }
            }
            element.attributes[name] = value
        }
        let isSVG = isInSVG
        open.append(element)
        guard !isSVG else { return }
        if Self.void.contains(element.name) {
            close()
        } else if ["script", "style", "textarea", "title"].contains(element.name) {
            // A browser looks for nothing but the end of these.
            try text(take { $0 != UInt8(ascii: "<") })
            guard take("</\(element.name)>") else { throw fault("markup in `\(element.name)`") }
            close()
        }
    }

    /// The text that is meant by one with references, of which there are only those that escaping makes.
    private func decoded(_ written: String) throws -> String {
        guard !written.utf8.contains(0) else { throw fault("a NUL") }
        guard written.utf8.contains(UInt8(ascii: "&")) else { return written }
        let parts = written.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        var bytes = Array(parts[0])
        for part in parts.dropFirst() {
            let halves = part.split(separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, let meant = Self.references[String(decoding: halves[0], as: UTF8.self)] else {
                throw fault("an `&` that is not escaped in `\(written.prefix(200))`")
            }
            bytes += meant.utf8
            bytes += halves[1]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// An element of a page, with what is in it.
struct PageElement: Sendable {
    enum Node: Sendable {
        case element(PageElement)
        case text(String)
    }

    var name: String
    var attributes: [String: String] = [:]
    var children: [Node] = []

    init(name: String) { self.name = name }

    /// The elements below it, in the order of the page.
    var all: [PageElement] {
        children.flatMap { child in
            guard case .element(let element) = child else { return [PageElement]() }
            return [element] + element.all
        }
    }

    func all(_ name: String, _ attributes: [String: String] = [:]) -> [PageElement] {
        all.filter { element in
            element.name == name && attributes.allSatisfy { element.attributes[$0] == $1 }
        }
    }

    /// What a person reads, with one blank between words; a moment is the one that is meant, in milliseconds.
    var words: String { written.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    /// What is in it, as it is.
    var written: String {
        if let moment = attributes["datetime"] { return Moment(moment).map { "@\($0.milliseconds)" } ?? "@\(moment)" }
        // A break is between words.
        if name == "br" { return " " }
        return children.map { child in
            switch child {
            case .element(let element): element.written
            case .text(let text): text
            }
        }.joined()
    }

    /// The pairs of its `dl`.
    var fields: [String: String] {
        let parts = all.filter { $0.name == "dt" || $0.name == "dd" }
        var fields: [String: String] = [:]
        for (name, value) in zip(parts, parts.dropFirst()) where name.name == "dt" && value.name == "dd" {
            fields[name.words] = value.words
        }
        return fields
    }

    /// The table with a caption, each row its cells.
    func rows(_ caption: String) -> [[String]]? {
        let table = all("table").first { $0.all("caption").first?.words == caption }
        return table.map { $0.all("tr").map { $0.all("td").map(\.words) }.filter { !$0.isEmpty } }
    }

    /// The section that its heading names.
    func section(_ id: String) -> PageElement? { all("section", ["aria-labelledby": id]).first }

    /// What tags and attributes there are: it is the same, whatever texts a page shows.
    var markup: Set<String> {
        Set(all.map { "\($0.name) \($0.attributes.keys.sorted().joined(separator: " "))" })
    }
}
