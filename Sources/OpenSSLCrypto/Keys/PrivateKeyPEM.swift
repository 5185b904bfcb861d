/// Finds out what a PEM text is before libcrypto is asked, which would only say that it failed.
enum PrivateKeyPEM {
    private static let dashes = "-----"
    /// Of UTF-8 and of UTF-16 in either byte order.
    private static let byteOrderMarks: [[UInt8]] = [[0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFE, 0xFF]]

    /// Checks that the text is one unencrypted PKCS#8 private key, as far as its outer form shows.
    static func check(_ bytes: [UInt8], source: String) throws(SigningKeyError) {
        guard bytes.contains(where: { $0 > 0x20 }) else {
            throw SigningKeyError(.empty, "\(source) is empty", hint: "copy the `.p8` file there again")
        }
        try checkEncoding(bytes, source: source)
        let labels = beginLabels(bytes)
        let keyLabels = labels.filter { $0.hasSuffix("PRIVATE KEY") }
        guard keyLabels.count <= 1 else {
            throw SigningKeyError(
                .severalKeys, "\(source) holds `\(keyLabels.count)` private keys",
                hint: "keep each key by itself: which one shall sign is not guessed")
        }
        guard let label = keyLabels.first ?? labels.first else {
            throw SigningKeyError(
                .notPEM, "\(source) is not PEM",
                hint: "a `.p8` file begins with `-----BEGIN PRIVATE KEY-----`; use it as it was downloaded")
        }
        try checkForm(label, source: source)
        guard contains(bytes, "\(dashes)END \(label)\(dashes)") else {
            throw SigningKeyError(
                .truncated, "\(source) has no `-----END PRIVATE KEY-----`: the end of the key is missing",
                hint: "copy the whole file again")
        }
    }

    /// Refuses what editors and copying add, which libcrypto would not see through.
    private static func checkEncoding(_ bytes: [UInt8], source: String) throws(SigningKeyError) {
        guard !byteOrderMarks.contains(where: { bytes.starts(with: $0) }) else {
            throw SigningKeyError(
                .byteOrderMark, "\(source) begins with a byte order mark, which an editor put there",
                hint: "use the `.p8` file as it was downloaded, or save it as UTF-8 without a byte order mark")
        }
        guard !lines(bytes).contains(where: isIndentedMark) else {
            throw SigningKeyError(
                .indented, "\(source) has spaces or tabs before `\(dashes)BEGIN` or `\(dashes)END`",
                hint: "remove them from the beginning of each line")
        }
    }

    private static func isIndentedMark(_ line: ArraySlice<UInt8>) -> Bool {
        let text = line.drop { $0 == 0x20 || $0 == 0x09 }
        guard text.startIndex > line.startIndex else { return false }
        return text.starts(with: "\(dashes)BEGIN ".utf8) || text.starts(with: "\(dashes)END ".utf8)
    }

    private static func checkForm(_ label: String, source: String) throws(SigningKeyError) {
        switch label {
        case "PRIVATE KEY":
            return
        case "ENCRYPTED PRIVATE KEY":
            throw SigningKeyError(
                .encrypted, "\(source) is protected by a password",
                hint:
                    "a service cannot type it; decrypt it with `openssl pkcs8 -in KEY -out NEWKEY` and chmod 600 NEWKEY"
            )
        case "EC PRIVATE KEY", "RSA PRIVATE KEY", "DSA PRIVATE KEY", "OPENSSH PRIVATE KEY":
            throw SigningKeyError(
                .notPKCS8, "\(source) is `\(label)`, not PKCS#8",
                hint:
                    "convert it with `openssl pkcs8 -topk8 -nocrypt -in KEY -out NEWKEY` and chmod 600 NEWKEY"
            )
        default:
            throw SigningKeyError(
                .notAPrivateKey, "\(source) is PEM, but holds no private key",
                hint: "a `.p8` file begins with `-----BEGIN PRIVATE KEY-----`")
        }
    }

    private static func beginLabels(_ bytes: [UInt8]) -> [String] {
        let begin = Array("\(dashes)BEGIN ".utf8)
        let dash = UInt8(ascii: "-")
        return lines(bytes).compactMap { line in
            guard line.starts(with: begin) else { return nil }
            let label = line.dropFirst(begin.count).prefix { $0 != dash }
            return String(decoding: label, as: UTF8.self)
        }
    }

    private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        let wanted = Array(text.utf8)
        return lines(bytes).contains { $0.starts(with: wanted) }
    }

    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split { $0 == 0x0A || $0 == 0x0D }
    }
}
