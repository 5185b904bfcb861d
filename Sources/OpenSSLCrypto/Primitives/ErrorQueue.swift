import COpenSSL

/// libcrypto's list of errors, of which every thread has one.
///
/// A synchronous function clears it before it asks libcrypto for something and drains it afterwards, with no suspension
/// between, so nothing is left for whoever uses the thread next.
enum ErrorQueue {
    static func clear() {
        ERR_clear_error()
    }
}
