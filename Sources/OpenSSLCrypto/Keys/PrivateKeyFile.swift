import COpenSSL

/// Files that hold private keys: read only if no other user can, and never overwritten.
enum PrivateKeyFile {
    /// The most bytes a key file may have; Apple's have about 260.
    static let sizeLimit = 16_384

    /// Reads a key file. It is opened once and examined by its descriptor, so it cannot be exchanged between check and
    /// read. The caller wipes the bytes.
    static func read(_ path: String) throws(SigningKeyError) -> [UInt8] {
        // Without O_NONBLOCK a named pipe would keep the service waiting for a writer.
        let descriptor = unsafe offerd_open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw openFailure(path, offerd_errno()) }
        defer { close(descriptor) }
        try examine(descriptor, path)
        return try contents(descriptor, path)
    }

    /// Writes a key file that only its owner can read, and makes it and its name durable.
    ///
    /// - Throws: ``SigningKeyError`` with `alreadyExists` or `unwritable`; an existing file is never touched.
    static func write(_ bytes: [UInt8], toNewFile path: String) throws(SigningKeyError) {
        let descriptor = unsafe offerd_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw createFailure(path, offerd_errno()) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe COpenSSL.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, offerd_errno() == EINTR { continue }
            guard count > 0 else { throw abandoned(path) }
            rest = rest.dropFirst(count)
        }
        guard offerd_fsync(descriptor) == 0 else { throw abandoned(path) }
        try makeNameDurable(path)
    }

    static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// A file's `fsync` does not cover its entry in the directory: without this a power cut could take the file away.
    private static func makeNameDurable(_ path: String) throws(SigningKeyError) {
        let descriptor = unsafe offerd_open(directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw notDurable(path, offerd_errno()) }
        defer { close(descriptor) }
        guard offerd_fsync(descriptor) == 0 else { throw notDurable(path, offerd_errno()) }
    }

    private static func examine(_ descriptor: Int32, _ path: String) throws(SigningKeyError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw openFailure(path, offerd_errno()) }
        guard offerd_S_ISREG(status.st_mode) != 0 else {
            let kind = offerd_S_ISDIR(status.st_mode) != 0 ? "a directory" : "not a regular file"
            throw SigningKeyError(
                .notAFile, "key file `\(path)` is \(kind)", hint: "name the `.p8` file itself")
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw SigningKeyError(
                .openToOthers,
                "key file `\(path)` has mode `0\(mode)`: the group or others have access to it",
                hint: "chmod 600 \(path)")
        }
        guard status.st_size <= sizeLimit else { throw tooLarge(path) }
    }

    private static func contents(_ descriptor: Int32, _ path: String) throws(SigningKeyError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: sizeLimit + 1)
        defer { buffer.cleanse() }
        var filled = 0
        while filled < buffer.count {
            let count = unsafe buffer.withUnsafeMutableBytes { space in
                unsafe COpenSSL.read(
                    descriptor, space.baseAddress?.advanced(by: filled), space.count - filled)
            }
            if count < 0, offerd_errno() == EINTR { continue }
            guard count >= 0 else { throw openFailure(path, offerd_errno()) }
            if count == 0 { return Array(buffer[..<filled]) }
            filled += count
        }
        throw tooLarge(path)
    }

    private static func tooLarge(_ path: String) -> SigningKeyError {
        SigningKeyError(
            .tooLarge, "key file `\(path)` has more than \(sizeLimit) bytes",
            hint: "name the `.p8` file itself")
    }

    private static func openFailure(_ path: String, _ code: Int32) -> SigningKeyError {
        switch code {
        case ENOENT, ENOTDIR:
            SigningKeyError(
                .notFound, "key file `\(path)` does not exist",
                hint: "relative paths are relative to the file that names the key")
        case EACCES, EPERM:
            SigningKeyError(
                .unreadable, "key file `\(path)` may not be read by this user",
                hint: "chown it to the user that runs the service, then chmod 600")
        default:
            SigningKeyError(
                .unreadable, "key file `\(path)` could not be read (error `\(code)`)",
                hint: "check the path and the file system")
        }
    }

    private static func createFailure(_ path: String, _ code: Int32) -> SigningKeyError {
        guard code != ENOENT, code != ENOTDIR else {
            return SigningKeyError(
                .unwritable, "key file `\(path)` could not be made: its directory does not exist",
                hint: "make the directory first, for its owner only: `mkdir -m 700`")
        }
        guard code == EEXIST else {
            return SigningKeyError(
                .unwritable, "key file `\(path)` could not be made (error `\(code)`)",
                hint: "check that its directory exists and may be written")
        }
        return SigningKeyError(
            .alreadyExists, "`\(path)` exists and is not overwritten",
            hint: "name a new file; a lost private key cannot be downloaded again")
    }

    private static func notDurable(_ path: String, _ code: Int32) -> SigningKeyError {
        SigningKeyError(
            .unwritable, "key file `\(path)` was written, but might not outlast a power cut (error `\(code)`)",
            hint: "check that its directory may be read, remove the file and try again")
    }

    private static func abandoned(_ path: String) -> SigningKeyError {
        SigningKeyError(
            .unwritable, "key file `\(path)` could not be written completely",
            hint: "make room on the disk, remove the file and try again")
    }
}

/// Finds out what a PEM text is before libcrypto is asked, which would only say that it failed.
enum PrivateKeyPEM {
    private static let dashes = "-----"
    /// Of UTF-8 and of UTF-16 in either byte order.
    private static let byteOrderMarks: [[UInt8]] = [[0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFE, 0xFF]]

    /// Puts the lines of a key back that came in one, as in environment variables: with `\n` written out as two
    /// characters, spaces, or nothing where the lines ended, perhaps in quotes. Anything else is left as it is.
    static func unfold(_ bytes: inout [UInt8]) {
        guard let begin = mark("BEGIN", in: bytes[...]), let end = mark("END", in: bytes[begin.upperBound...]),
            !bytes[begin.lowerBound..<end.upperBound].contains(where: { $0 == 0x0A || $0 == 0x0D }),
            bytes[..<begin.lowerBound].allSatisfy(isAround), bytes[end.upperBound...].allSatisfy(isAround)
        else { return }
        var unfolded: [UInt8] = []
        // No second buffer, which would keep a part of the key.
        unfolded.reserveCapacity(bytes.count + 3)
        unfolded += bytes[begin] + [0x0A]
        var place = begin.upperBound
        while place < end.lowerBound {
            // Of `\n` or `\r` written out both characters go, however often the first was escaped.
            if bytes[place] == UInt8(ascii: "\\") {
                while place < end.lowerBound, bytes[place] == UInt8(ascii: "\\") { place += 1 }
            } else if bytes[place] > 0x20 {
                unfolded.append(bytes[place])
            }
            place += 1
        }
        unfolded += [0x0A] + bytes[end] + [0x0A]
        bytes.cleanse()
        bytes = unfolded
    }

    /// Characters that may surround a key in one line: spaces, line breaks written out or not, and quotes.
    private static func isAround(_ byte: UInt8) -> Bool { byte <= 0x20 || "\"'\\nr".utf8.contains(byte) }

    /// Where a text has `-----BEGIN …-----` or `-----END …-----`.
    private static func mark(_ word: String, in bytes: ArraySlice<UInt8>) -> Range<Int>? {
        guard let opening = bytes.firstRange(of: "\(dashes)\(word) ".utf8),
            let closing = bytes[opening.upperBound...].firstRange(of: dashes.utf8)
        else { return nil }
        return opening.lowerBound..<closing.upperBound
    }

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
                hint: "put each key into a file of its own; offerd does not guess which one to use")
        }
        guard let label = keyLabels.first ?? labels.first else {
            try checkContents(bytes, source: source)
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

    /// Names what is often put in place of a key's text.
    private static func checkContents(_ bytes: [UInt8], source: String) throws(SigningKeyError) {
        let text = bytes.drop { $0 <= 0x20 }
        // Base64 of `-----BEGIN`.
        guard !text.starts(with: "LS0tLS1CRUdJTi".utf8) else {
            throw SigningKeyError(
                .encodedPEM, "\(source) is PEM that was encoded in Base64 once more",
                hint: "decode it first, as `base64 -d` does")
        }
        // The beginning of every P-256 key in PKCS#8, and of its form without the public half.
        guard !["MIGH", "MIGT", "MEEC", "MIG"].contains(where: { text.starts(with: $0.utf8) }) else {
            throw SigningKeyError(
                .notPEM, "\(source) has no `-----BEGIN PRIVATE KEY-----` before the key",
                hint: "use the whole text of the `.p8` file, with its first and last line")
        }
        let path = text.reversed().drop { $0 <= 0x20 }
        guard !path.starts(with: ".p8".utf8.reversed()), !path.starts(with: ".pem".utf8.reversed()) else {
            throw SigningKeyError(
                .pathOfKey, "\(source) is the path of a file, where the text of a key belongs",
                hint: "name the file itself as `privateKey` in keys.yaml")
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
