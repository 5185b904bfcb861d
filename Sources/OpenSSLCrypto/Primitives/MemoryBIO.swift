import COpenSSL

/// A growing buffer of libcrypto's, for what it writes as PEM; it is wiped when it goes.
@safe
struct MemoryBIO: ~Copyable {
    private let pointer: OpaquePointer

    init() throws(OpenSSLFailure) {
        guard let pointer = unsafe BIO_new(BIO_s_mem()) else { throw OpenSSLFailure("make a buffer") }
        unsafe self.pointer = unsafe pointer
    }

    deinit {
        unsafe BIO_free_all(pointer)
    }

    /// Lets libcrypto write into the buffer; the pointer must not be kept.
    func write(_ body: (OpaquePointer) -> Int32) -> Bool {
        unsafe body(pointer) == 1
    }

    /// Takes everything out of the buffer.
    func drain() throws(OpenSSLFailure) -> [UInt8] {
        let count = unsafe BIO_ctrl_pending(pointer)
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe BIO_read(pointer, &bytes, Int32(count)) == Int32(count) else {
            throw OpenSSLFailure("read a buffer")
        }
        return bytes
    }
}
