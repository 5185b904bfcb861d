import COpenSSL

extension KeyHandle {
    /// Reads an unencrypted private key in PEM; `nil` if it is none. Never asks for a password.
    convenience init?(privateKeyPEM bytes: [UInt8]) {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let count = Int32(exactly: bytes.count) else { return nil }
        let key: OpaquePointer? = unsafe bytes.withUnsafeBytes { buffer in
            guard let bio = unsafe BIO_new_mem_buf(buffer.baseAddress, count) else { return nil }
            defer { unsafe BIO_free_all(bio) }
            // libcrypto's own callback would ask the terminal and let a service hang.
            return unsafe PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let key = unsafe key else { return nil }
        unsafe self.init(owning: key)
    }

    /// Reads a public key in PEM (SubjectPublicKeyInfo); `nil` if it is none.
    convenience init?(publicKeyPEM bytes: [UInt8]) {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let count = Int32(exactly: bytes.count) else { return nil }
        let key: OpaquePointer? = unsafe bytes.withUnsafeBytes { buffer in
            guard let bio = unsafe BIO_new_mem_buf(buffer.baseAddress, count) else { return nil }
            defer { unsafe BIO_free_all(bio) }
            return unsafe PEM_read_bio_PUBKEY(bio, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let key = unsafe key else { return nil }
        unsafe self.init(owning: key)
    }

    /// The private key as unencrypted PKCS#8 in PEM. The caller wipes the bytes.
    func privateKeyPEM() throws(OpenSSLFailure) -> [UInt8] {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        let buffer = try MemoryBIO()
        let written = unsafe buffer.write { bio in
            unsafe lend { unsafe PEM_write_bio_PKCS8PrivateKey(bio, $0, nil, nil, 0, nil, nil) }
        }
        guard written else { throw OpenSSLFailure("write a private key") }
        return try buffer.drain()
    }

    /// The public key as SubjectPublicKeyInfo in PEM.
    func publicKeyPEM() throws(OpenSSLFailure) -> [UInt8] {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        let buffer = try MemoryBIO()
        let written = unsafe buffer.write { bio in unsafe lend { unsafe PEM_write_bio_PUBKEY(bio, $0) }
        }
        guard written else { throw OpenSSLFailure("write a public key") }
        return try buffer.drain()
    }

    /// The public key as SubjectPublicKeyInfo in DER.
    func publicKeyDER() throws(OpenSSLFailure) -> [UInt8] {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        var der = [UInt8]()
        let written = unsafe lend { key -> Bool in
            let length = unsafe i2d_PUBKEY(key, nil)
            guard length > 0 else { return false }
            der = [UInt8](repeating: 0, count: Int(length))
            return unsafe der.withUnsafeMutableBufferPointer { buffer in
                var end = buffer.baseAddress
                return unsafe i2d_PUBKEY(key, &end) == length
            }
        }
        guard written else { throw OpenSSLFailure("write a public key") }
        return der
    }
}
