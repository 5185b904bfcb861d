/// JSON as a reader of YAML takes it.
enum JSONForYAML {
    /// Writes each character that JSON has as a pair of escapes, such as `\uD83C\uDF89`, as itself: YAML has no pairs.
    ///
    /// Spaces after its text make up for what is shorter, so that all else keeps its place.
    ///
    /// - Parameter json: JSON without a fault.
    static func text(_ json: String) -> String {
        var yaml = String.UnicodeScalarView()
        var spaces = 0
        var rest = Array(json.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            if scalar == "\\", let character = pair(rest.prefix(11)) {
                yaml.append(character)
                rest = rest.dropFirst(11)
                spaces += 11
                continue
            }
            yaml.append(scalar)
            if scalar == "\\" {
                yaml.append(contentsOf: rest.prefix(1))
                rest = rest.dropFirst()
            } else if scalar == "\"" {
                yaml.append(contentsOf: repeatElement(" ", count: spaces))
                spaces = 0
            }
        }
        return String(yaml)
    }

    /// - Parameter escapes: what follows the first backslash.
    private static func pair(_ escapes: ArraySlice<Unicode.Scalar>) -> Unicode.Scalar? {
        guard escapes.first == "u" else { return nil }
        let parts = escapes.split(separator: "\\").map { String(String.UnicodeScalarView($0)) }
        let units = parts.compactMap {
            $0.hasPrefix("u") ? Int($0.dropFirst(), radix: 16).flatMap(UInt16.init(exactly:)) : nil
        }
        let scalars = String(decoding: units, as: UTF16.self).unicodeScalars
        return units.count == 2 && scalars.count == 1 ? scalars.first : nil
    }
}
