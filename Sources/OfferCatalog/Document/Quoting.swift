/// A value of a document in an error: in backticks, short, and without characters that would disturb a terminal.
func quoted(_ value: String) -> String {
    var text = ""
    for (count, scalar) in value.unicodeScalars.enumerated() {
        guard count < 64 else {
            text += "…"
            break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            text += "\\u{\(String(scalar.value, radix: 16))}"
        default:
            text.unicodeScalars.append(scalar)
        }
    }
    return "`\(text)`"
}
