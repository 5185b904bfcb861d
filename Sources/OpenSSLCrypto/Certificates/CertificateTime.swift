import COpenSSL
import OfferModel

/// ASN.1 times, which have whole seconds.
enum CertificateTime {
    /// The moment of an ASN.1 time; `nil` if it is none.
    static func instant(_ time: UnsafePointer<ASN1_TIME>?) -> Instant? {
        guard let epoch = unsafe ASN1_TIME_set(nil, 0) else { return nil }
        defer { unsafe ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        // A missing time would mean "now" to libcrypto.
        guard unsafe time != nil, unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else {
            return nil
        }
        return Instant(
            milliseconds: Int64(days) * Instant.Duration.day + Int64(seconds) * Instant.Duration.second)
    }

    /// Sets an ASN.1 time to a moment, rounded down to the second.
    static func set(_ time: UnsafeMutablePointer<ASN1_TIME>?, to instant: Instant) -> Bool {
        unsafe time != nil && ASN1_TIME_set(time, Int(instant.seconds)) != nil
    }
}
