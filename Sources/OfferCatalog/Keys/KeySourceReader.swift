/// Reads where a secret key is: a path or `env:NAME`.
enum KeySourceReader {
    /// A key pasted into the file must not be repeated in an error, so its text is never quoted.
    static func read(_ field: Field) -> PrivateKeySource? {
        guard let text = field.scalar("a path or `env:NAME`") else { return nil }
        let isSecret = text.contains("PRIVATE KEY") || isHexadecimalSecret(text)
        guard !isSecret, text.utf8.count <= 1_024, TextForm.path.accepts(text) else {
            field.refuse(
                .invalidValue, "this is not a path or `env:NAME`",
                hint: "put the key into a file of its own, mode 600, and write its path here")
            return nil
        }
        guard text.hasPrefix("env:") else { return .path(text) }
        let name = String(text.dropFirst(4))
        guard isVariableName(name) else {
            field.refuse(
                .invalidValue, "`env:` is not followed by the name of an environment variable",
                hint: "use letters, digits and `_`, as in `env:SIGNING_KEY`")
            return nil
        }
        return .environment(name)
    }

    /// The content of a digest key's file.
    private static func isHexadecimalSecret(_ text: String) -> Bool {
        text.utf8.count >= 64 && text.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }

    private static func isVariableName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return text.utf8.count <= 128
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "_")
            }
    }
}
