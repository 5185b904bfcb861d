import COpenSSL

/// One reference to a key of libcrypto, freed with the last reference to this object.
///
/// `@unchecked Sendable`: libcrypto counts references atomically and nothing changes a key once it is made; every
/// operation works in a context of its own.
@safe
final class KeyHandle: @unchecked Sendable {
    /// libcrypto's name of P-256.
    static let p256 = "prime256v1"

    private let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = unsafe pointer
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    /// A new key pair on a curve named as libcrypto names it.
    static func generate(curve: String) throws(OpenSSLFailure) -> KeyHandle {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let pointer = unsafe offerd_EVP_EC_gen(curve) else { throw OpenSSLFailure("generate a key") }
        return unsafe KeyHandle(owning: pointer)
    }

    var isEllipticCurve: Bool {
        unsafe EVP_PKEY_is_a(pointer, "EC") == 1
    }

    /// The length of the modulus or of the curve's order.
    var bits: Int {
        Int(unsafe EVP_PKEY_get_bits(pointer))
    }

    /// Whether the key spells its curve out instead of naming it, which RFC 5480 §2.1.1 forbids. libcrypto recognises
    /// the numbers of a known curve, but goes on writing them, so the public half would look like another key.
    var isGivenByParameters: Bool {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        var answer: Int32 = 0
        let status = unsafe EVP_PKEY_get_int_param(
            pointer, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &answer)
        return status == 1 && answer == 1
    }

    /// libcrypto's name of the curve; `nil` for another type of key or a curve given by its parameters.
    var curve: String? {
        guard !isGivenByParameters else { return nil }
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        var name = [CChar](repeating: 0, count: 80)
        var length = 0
        guard unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else { return nil }
        return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Lends the key to libcrypto; the pointer must not be kept.
    func lend<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        unsafe body(pointer)
    }

    func requireP256(source: String) throws(SigningKeyError) {
        guard isEllipticCurve else {
            throw SigningKeyError(
                .notEllipticCurve, "\(source) is not an elliptic-curve key",
                hint: "the App Store signs with P-256: use the In-App Purchase key from App Store Connect")
        }
        guard !isGivenByParameters else {
            throw SigningKeyError(
                .explicitCurve, "\(source) spells its curve out in numbers instead of naming it",
                hint:
                    "name it with `openssl pkey -in KEY -ec_param_enc named_curve -out NEWKEY` and chmod 600 NEWKEY"
            )
        }
        let curve = curve
        guard curve == KeyHandle.p256 else {
            throw SigningKeyError(
                .wrongCurve, "\(source) is on the curve `\(curve ?? "unnamed")`, not on P-256",
                hint: "use the In-App Purchase key from App Store Connect, which is on P-256 (`prime256v1`)")
        }
    }
}

// PEM and DER.
extension KeyHandle {
    /// Reads an unencrypted private key in PEM; `nil` if it is none. Never asks for a password.
    convenience init?(privateKeyPEM bytes: [UInt8]) {
        // libcrypto's own callback would ask the terminal and let a service hang.
        unsafe self.init(bytes) { unsafe PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
    }

    /// Reads a public key in PEM (SubjectPublicKeyInfo); `nil` if it is none.
    convenience init?(publicKeyPEM bytes: [UInt8]) {
        unsafe self.init(bytes) { unsafe PEM_read_bio_PUBKEY($0, nil, { _, _, _, _ in -1 }, nil) }
    }

    /// Reads a public key in DER (SubjectPublicKeyInfo); `nil` if it is none.
    convenience init?(publicKeyDER bytes: [UInt8]) {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        let key = unsafe bytes.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return unsafe d2i_PUBKEY(nil, &cursor, buffer.count)
        }
        guard let key = unsafe key else { return nil }
        unsafe self.init(owning: key)
    }

    private convenience init?(_ bytes: [UInt8], _ read: (OpaquePointer) -> OpaquePointer?) {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let count = Int32(exactly: bytes.count) else { return nil }
        let key: OpaquePointer? = unsafe bytes.withUnsafeBytes { buffer in
            guard let bio = unsafe BIO_new_mem_buf(buffer.baseAddress, count) else { return nil }
            defer { unsafe BIO_free_all(bio) }
            return unsafe read(bio)
        }
        guard let key = unsafe key else { return nil }
        unsafe self.init(owning: key)
    }

    func write(privateKeyToNewFile path: String) throws {
        var pem = unsafe try written("write a private key") {
            unsafe PEM_write_bio_PKCS8PrivateKey($0, $1, nil, nil, 0, nil, nil)
        }
        defer { pem.cleanse() }
        try PrivateKeyFile.write(pem, toNewFile: path)
    }

    func publicKeyPEM() throws(OpenSSLFailure) -> [UInt8] {
        unsafe try written("write a public key") { unsafe PEM_write_bio_PUBKEY($0, $1) }
    }

    private func written(
        _ operation: String, _ write: (OpaquePointer, OpaquePointer) -> Int32
    ) throws(OpenSSLFailure) -> [UInt8] {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw OpenSSLFailure("make a buffer") }
        // libcrypto wipes the buffer when it is freed.
        defer { unsafe BIO_free_all(bio) }
        guard unsafe write(bio, pointer) == 1 else { throw OpenSSLFailure(operation) }
        let count = unsafe BIO_ctrl_pending(bio)
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe BIO_read(bio, &bytes, Int32(clamping: count)) == Int32(clamping: count) else {
            throw OpenSSLFailure("read a buffer")
        }
        return bytes
    }

    func publicKeyDER() throws(OpenSSLFailure) -> [UInt8] {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let der = unsafe derEncoding({ unsafe i2d_PUBKEY(pointer, $0) }) else {
            throw OpenSSLFailure("write a public key")
        }
        return der
    }
}
