import OfferModel
import OfferSigning

/// When all certificates of a chain are valid at once, both ends included.
struct ChainValidity: Sendable, Hashable {
    private struct Interval: Sendable, Hashable {
        let name: String
        let notBefore: Instant
        let notAfter: Instant
    }

    private let intervals: [Interval]
    /// The latest beginning.
    let notBefore: Instant
    /// The earliest end; before `notBefore` if there is no common moment.
    let notAfter: Instant

    init(_ chain: CertificateChain) {
        intervals = [
            Interval(name: "leaf", notBefore: chain.leaf.notBefore, notAfter: chain.leaf.notAfter),
            Interval(
                name: "intermediate", notBefore: chain.intermediate.notBefore,
                notAfter: chain.intermediate.notAfter),
            Interval(name: "root", notBefore: chain.root.notBefore, notAfter: chain.root.notAfter),
        ]
        notBefore = intervals.map(\.notBefore).max() ?? .distantFuture
        notAfter = intervals.map(\.notAfter).min() ?? .distantPast
    }

    /// - Throws: `certificateNotValidAtDate`, naming the first certificate at fault.
    func check(_ date: Instant) throws(SignedDataRefusal) {
        if notBefore <= date, date <= notAfter { return }
        for interval in intervals {
            if date < interval.notBefore {
                throw Self.refusal(
                    "\(interval.name) certificate is valid from `\(interval.notBefore)`", date)
            }
            if interval.notAfter < date {
                throw Self.refusal(
                    "\(interval.name) certificate was valid until `\(interval.notAfter)`", date)
            }
        }
    }

    private static func refusal(_ fact: String, _ date: Instant) -> SignedDataRefusal {
        SignedDataRefusal(.certificateNotValidAtDate, "the \(fact), the data is dated `\(date)`")
    }
}
