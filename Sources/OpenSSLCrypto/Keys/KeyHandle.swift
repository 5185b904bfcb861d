import COpenSSL

/// One reference to an elliptic-curve key of libcrypto, freed with the last reference to this object.
///
/// `@unchecked Sendable`: libcrypto counts references atomically and nothing changes a key once it is made; every
/// operation works in a context of its own.
@safe
final class KeyHandle: @unchecked Sendable {
    /// libcrypto's name of P-256.
    static let p256 = "prime256v1"

    private let pointer: OpaquePointer

    /// Takes over a reference that the caller owns.
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
        guard let pointer = unsafe offerd_EVP_EC_gen(curve) else {
            throw OpenSSLFailure("generate a key")
        }
        return unsafe KeyHandle(owning: pointer)
    }

    /// Whether this is an elliptic-curve key at all.
    var isEllipticCurve: Bool {
        unsafe EVP_PKEY_is_a(pointer, "EC") == 1
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
        guard unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else {
            return nil
        }
        return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Lends the key to libcrypto; the pointer must not be kept.
    func lend<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        unsafe body(pointer)
    }
}
