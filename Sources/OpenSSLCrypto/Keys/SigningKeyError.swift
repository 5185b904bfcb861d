/// Why a key could not be loaded, made or written. Never holds key material (invariant 9).
public struct SigningKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable, Hashable, CaseIterable {
        case notFound
        case unreadable
        /// A directory, a device or a pipe.
        case notAFile
        case openToOthers
        /// More than 16 KiB.
        case tooLarge
        case empty
        case byteOrderMark
        /// Spaces or tabs before the lines that begin and end the key.
        case indented
        case notPEM
        /// More than one private key, of which one would have to be guessed.
        case severalKeys
        case truncated
        /// The key is protected by a password, which a service cannot type.
        case encrypted
        /// A private key in another form than PKCS#8, such as `EC PRIVATE KEY`.
        case notPKCS8
        /// PEM of something else, such as a public key or a certificate.
        case notAPrivateKey
        case malformed
        /// RSA, Ed25519 or another kind of key.
        case notEllipticCurve
        /// A curve given by its numbers and not by its name.
        case explicitCurve
        case wrongCurve
        /// Such as a key of a token that is not meant to sign.
        case cannotSign
        /// The private and the public half do not belong together.
        case selfTestFailed
        /// The token or its library cannot be reached.
        case noToken
        case wrongPIN
        /// The token has no such key.
        case notInToken
        case alreadyExists
        case unwritable
    }

    public let code: Code
    /// One lower-case line for people, naming the file or variable in backticks.
    public let detail: String
    public let hint: String

    init(_ code: Code, _ detail: String, hint: String) {
        self.code = code
        self.detail = detail
        self.hint = hint
    }

    public var description: String { detail }
}
