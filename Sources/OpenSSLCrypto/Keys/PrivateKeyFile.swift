import COpenSSL

/// Files that hold private keys: read only if nobody else can, written only where nothing is.
enum PrivateKeyFile {
    /// The most bytes a key file may have; Apple's have about 260.
    static let sizeLimit = 16_384

    /// Reads a key file. It is opened once and examined by its descriptor, so it cannot be exchanged between check and
    /// read. The caller wipes the bytes.
    ///
    /// - Throws: ``SigningKeyError`` with `notFound`, `unreadable`, `notAFile`, `openToOthers` or `tooLarge`.
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
        guard fsync(descriptor) == 0 else { throw abandoned(path) }
        try makeNameDurable(path)
    }

    /// The path of the directory that a path's last part is in.
    static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// A file's `fsync` does not cover its entry in the directory: without this a power cut could take the file away.
    private static func makeNameDurable(_ path: String) throws(SigningKeyError) {
        let descriptor = unsafe offerd_open(directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw notDurable(path, offerd_errno()) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw notDurable(path, offerd_errno()) }
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
