import AppStoreData
import OfferModel
import OfferSigning

/// Verifies notifications one after the other, whoever brings them.
///
/// Anybody may send to the notifications URL, and a chain with Apple's root in it costs public-key work before it proves
/// false. One at a time leaves the other cores to callers with a key.
actor NotificationCheck {
    /// Checks a notification and all that is signed in it.
    ///
    /// - Throws: `SignedDataRefusal`; `CancellationError` if nobody waits for it any more.
    func verify(_ jws: String, reader: SignedDataReader, now: Instant) throws -> VerifiedNotification {
        try Task.checkCancellation()
        return try VerifiedNotification(jws, reader: reader, now: now)
    }
}
