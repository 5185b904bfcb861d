import OfferModel
import OfferSigning

// Apple may add forms of `offerPeriod`, so signed data keeps any text. What nobody signed was written by somebody who can
// correct it.

extension Transaction {
    /// Refuses an `offerPeriod` that cannot be read.
    func requireReadablePeriod() throws(SignedDataRefusal) {
        try requireReadable(offerPeriod, within: "")
    }
}

extension RenewalInfo {
    /// Refuses an `offerPeriod` that cannot be read.
    ///
    /// - Parameter object: the object that holds the renewal info, with its point.
    func requireReadablePeriod(within object: String = "") throws(SignedDataRefusal) {
        try requireReadable(offerPeriod, within: object)
    }
}

private func requireReadable(_ period: String?, within object: String) throws(SignedDataRefusal) {
    guard let period, !period.isEmpty, Period(period) == nil else { return }
    throw SignedDataRefusal(
        .malformedPayload,
        "`\(object)offerPeriod` is `\(period)`, not a period of up to \(InputBounds.longestPeriod) years such as `P1M`",
        member: "\(object)offerPeriod")
}
