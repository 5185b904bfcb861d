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
        return lengths.count >= max(1, Self.count(of: period, in: whole))
    }

    /// How many periods of that length make the whole, both given in milliseconds; months are of unequal length.
    private static func count(of period: Int64, in whole: Int64) -> Int {
        let day = Double(Instant.Duration.day)
        let (period, whole) = (Double(period) / day, Double(whole) / day)
        guard period >= leastDaysOfAMonth else { return Int((whole / period).rounded()) }
        return Int(((whole / daysOfAMonth).rounded() / (period / daysOfAMonth).rounded()).rounded(.up))
    }

    private static let leastDaysOfAMonth = 27.0
    private static let daysOfAMonth = 30.44
}

extension Transaction {
    /// Of the period, in milliseconds; zero without an expiry.
    fileprivate var length: Int64 {
        expiresDate.map { $0.milliseconds(since: purchaseDate) } ?? 0
    }
}
