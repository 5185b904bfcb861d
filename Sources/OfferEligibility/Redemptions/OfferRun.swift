import OfferModel

/// A run of periods with the same offer.
///
/// It holds as many periods as fit into the offer's length. Wall time from its start would end it early: billing retry
/// and an extension of a period by Apple move what follows.
struct OfferRun {
    let key: RedemptionKey
    private let start: Instant
    /// The length of the whole offer, if it is known.
    private let wholePeriod: Period?
    private var lengths: [Int64]

    init(key: RedemptionKey, first: Transaction, wholePeriod: Period?) {
        self.key = key
        self.wholePeriod = wholePeriod
        start = first.purchaseDate
        lengths = [first.length]
    }

    mutating func add(_ period: Transaction) {
        lengths.append(period.length)
    }

    /// Whether the offer's length is used up, so that another period of it begins another use.
    ///
    /// - Parameter next: that period, if there is one; its length tells too how long periods are.
    func isFull(before next: Transaction?) -> Bool {
        guard let wholePeriod, let period = (lengths + [next?.length].compactMap(\.self)).filter({ $0 > 0 }).min()
        else { return false }
        let whole = start.adding(wholePeriod).milliseconds(since: start)
        return Int64(lengths.count) >= max(1, Self.count(of: period, in: whole))
    }

    /// How many periods of that length make the whole, both given in milliseconds; months are of unequal length.
    private static func count(of period: Int64, in whole: Int64) -> Int64 {
        guard period >= leastMonth else { return rounded(whole, by: period) }
        let (months, each) = (rounded(whole, by: month), rounded(period, by: month))
        return months / each + (months % each > 0 ? 1 : 0)
    }

    /// The quotient of two positive numbers, rounded to the nearest whole number.
    private static func rounded(_ whole: Int64, by part: Int64) -> Int64 {
        let (quotient, rest) = whole.quotientAndRemainder(dividingBy: part)
        return rest >= part - rest ? quotient + 1 : quotient
    }

    private static let leastMonth = 27 * Instant.Duration.day
    /// 30.44 days.
    private static let month = 3_044 * Instant.Duration.day / 100
}

extension Transaction {
    /// Of the period, in milliseconds; zero without an expiry.
    fileprivate var length: Int64 {
        expiresDate.map { $0.milliseconds(since: purchaseDate) } ?? 0
    }
}
