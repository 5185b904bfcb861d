/// Finds out what a PEM text is before libcrypto is asked, which would only say that it failed.
enum PrivateKeyPEM {
    private static let dashes = "-----"

    /// Checks that the text is one unencrypted PKCS#8 private key, as far as its outer form shows.
    static func check(_ bytes: [UInt8], source: String) throws(SigningKeyError) {
        guard bytes.contains(where: { $0 > 0x20 }) else {
            throw SigningKeyError(.empty, "\(source) is empty", hint: "copy the `.p8` file there again")
        }
        let labels = beginLabels(bytes)
        guard let label = labels.first(where: { $0.hasSuffix("PRIVATE KEY") }) ?? labels.first else {
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
        return bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).compactMap { line in
            guard line.starts(with: begin) else { return nil }
            let label = line.dropFirst(begin.count).prefix { $0 != dash }
            return String(decoding: label, as: UTF8.self)
        }
    }

    private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        let wanted = Array(text.utf8)
        return bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).contains {
            $0.starts(with: wanted)
        }
    }
}
