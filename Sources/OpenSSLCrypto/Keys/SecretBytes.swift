import COpenSSL

extension [UInt8] {
    /// Overwrites the bytes in a way the optimiser may not remove.
    mutating func cleanse() {
        unsafe withUnsafeMutableBytes { buffer in
            unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
        }
    }
}
