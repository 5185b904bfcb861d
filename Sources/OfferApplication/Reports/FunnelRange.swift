public import OfferModel

/// Which customers a funnel is about.
public struct FunnelRequest: Sendable, Hashable {
    /// Only this offer; every offer if absent.
    public var offerId: OfferId?
    /// Customers first evaluated from then on; 30 days before the end if absent.
    public var from: Instant?
    /// Customers first evaluated before; until now if absent.
    public var to: Instant?

    /// A request by its parts.
    public init(offerId: OfferId? = nil, from: Instant? = nil, to: Instant? = nil) {
        self.offerId = offerId
        self.from = from
        self.to = to
    }
}

extension FunnelRequest {
    /// The longest range of one report, in days.
    static let longestDays: Int64 = 366
    /// The range of a report that names no beginning, in days.
    static let usualDays: Int64 = 30

    /// The range asked for.
    ///
    /// - Throws: ``RequestError/unusableParameter(name:detail:hint:)`` for a range that is empty, longer than a year or
    ///   lies in the future: no report of it would say anything.
    func range(at now: Instant) throws(RequestError) -> Range<Instant> {
        // What was decided in this very millisecond is known too.
        let to = to ?? now.adding(milliseconds: 1)
        let from = from ?? to.adding(milliseconds: -Self.usualDays * Instant.Duration.day)
        guard from <= now else {
            throw .unusableParameter(
                name: "from", detail: "the range begins at `\(from)`, which is after now: nobody was evaluated yet",
                hint: nil)
        }
        guard from < to else {
            throw .unusableParameter(
                name: "to", detail: "the range ends at `\(to)`, which is not after its beginning, `\(from)`",
                hint: "a range holds what was decided from `from` on and before `to`")
        }
        guard to.milliseconds(since: from) <= Self.longestDays * Instant.Duration.day else {
            throw .unusableParameter(
                name: "from", detail: "the range is longer than \(Self.longestDays) days",
                hint: "ask for shorter ranges one after the other; each customer is in one of them")
        }
        return from..<to
    }
}
