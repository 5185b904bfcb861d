extension String {
    /// The text in one line and without control characters.
    ///
    /// Identifiers and messages come from elsewhere: printed raw, an escape sequence in a customer's name could rewrite
    /// what support sees.
    var printable: String {
        let isHarmless = unicodeScalars.allSatisfy { !Self.isControl($0) }
        guard !isHarmless else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            result.append(Self.isControl(scalar) ? "\u{FFFD}" : scalar)
        }
        return String(result)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Bidirectional controls reorder what stands around them.
        case .format: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        default: false
        }
    }
}
