/// Text in an SVG document.
enum SVGText {
    static let size = 12.0
    /// How much wider bold text is.
    static let boldness = 1.1
    static let line = 16.0

    /// What XML and a reader can take: white space is a blank, and control characters, those that turn the direction of
    /// the text around them included, are replaced.
    static func clean(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar.value {
            case 0x09, 0x0A, 0x0D, 0x2028, 0x2029: " "
            case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069, 0xFFFE, 0xFFFF: "\u{FFFD}"
            default: String(scalar)
            }
        }.joined()
    }

    static func escaped(_ text: String) -> String {
        let names: [Unicode.Scalar: String] = ["&": "amp", "<": "lt", ">": "gt", "\"": "quot", "'": "#39"]
        return clean(text).unicodeScalars.map { scalar in names[scalar].map { "&\($0);" } ?? String(scalar) }.joined()
    }

    /// At most how wide common sans-serif fonts draw it.
    static func width(_ text: String, size: Double = size) -> Double {
        text.reduce(0) { width, character in
            switch character {
            case " ", ",", ".", ":", ";", "'", "|", "!", "i", "j", "l", "I", "-": width + 0.4
            case "m", "w", "M", "W", "@", "%", "…": width + 1
            case "A"..."Z": width + 0.75
            case "0"..."9", "a"..."z": width + 0.64
            default: width + (character.isASCII || character.utf8.count == 2 ? 0.75 : 1.4)
            }
        } * size
    }

    /// As much of a text as there is room for, and an ellipsis.
    static func fitted(_ text: String, room: Double, size: Double = size) -> String {
        guard width(text, size: size) > room else { return text }
        var left = room - width("…", size: size)
        return text.prefix { character in
            left -= width(String(character), size: size)
            return left >= 0
        } + "…"
    }

    /// The text in at most three lines, broken at blanks; the last may be too long.
    static func lines(_ text: String, room: Double, size: Double = size) -> [String] {
        clean(text).split(separator: " ").reduce(into: []) { lines, word in
            let longer = lines.last.map { "\($0) \(word)" } ?? ""
            if lines.isEmpty || lines.count < 3 && width(longer, size: size) > room {
                lines.append(String(word))
            } else {
                lines[lines.count - 1] = longer
            }
        }
    }

    /// A `text` element; one that is cut to the room has the whole in its `title`.
    static func element(
        _ text: String, x: Double, y: Double, anchor: String? = nil, room: Double = .infinity, size: Double = size,
        isBold: Bool = false
    ) -> String {
        let whole = clean(text)
        let shown = fitted(whole, room: room, size: size)
        let title = shown == whole ? "" : "<title>\(escaped(whole))</title>"
        let form = [
            ("text-anchor", anchor), ("font-size", size == Self.size ? nil : size.px),
            ("font-weight", isBold ? "600" : nil),
        ]
        .map { name, value in value.map { " \(name)=\"\($0)\"" } ?? "" }
        return "<text x=\"\(x.px)\" y=\"\(y.px)\"\(form.joined())>\(title)\(escaped(shown))</text>\n"
    }

}

extension Double {
    /// A coordinate, to a tenth.
    var px: String {
        let tenths = (self * 10).rounded() / 10
        return Int(exactly: tenths).map(String.init) ?? "\(tenths)"
    }
}
