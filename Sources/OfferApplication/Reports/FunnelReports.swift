package import OfferAPI
package import OfferModel
import OfferStore

/// The offer funnel: evaluated, issued, redeemed, renewed (docs/reports.md).
public struct FunnelReports: Sendable {
    let database: any StoreDatabase
    let catalogs: CompiledCatalogs
    let policy: Policy
    let clock: RequestClock
    let work: LongWork

    static let longestDays: Int64 = 366
    static let usualDays: Int64 = 30

    /// The funnel of one offer, or of every offer that is in the catalog or was ever evaluated.
    ///
    /// It reads one snapshot customer by customer, in memory that does not grow with them, and the writer never waits
    /// for it. A server makes one report at a time: each takes one of its few readers for as long as it lasts.
    ///
    /// - Parameters:
    ///   - from: customers first evaluated from then on; 30 days before the end if absent.
    ///   - to: customers first evaluated before; until now if absent.
    /// - Throws: `unknownOffer`, `noCatalog`, `unusableParameter`, `busy` while another report is made.
    package func funnel(
        of offerId: OfferId? = nil, from: Instant? = nil, to: Instant? = nil, caller: Caller
    ) async throws -> FunnelReport {
        let scope = caller.scope
        let policy = policy.scaled(for: scope.environment)
        return try await work.read(database) { transaction in
            let now = try clock.tolerantInstant(transaction)
            let range = try Self.range(from: from, to: to, at: now)
            guard let number = try ScopeStore(transaction).number(of: scope) else {
                if offerId != nil { throw RequestError.noCatalog(scope) }
                return FunnelReport { ($0.asOf, $0.from, $0.to) = (now, range.lowerBound, range.upperBound) }
            }
            let offers = try catalogs.reportedOffers(offerId, of: number, in: scope, transaction)
            let funnels = try offers.map { reported in
                var funnel = try Self.tally(reported, range, at: now, policy: policy, in: number, transaction).result
                funnel.requestsOfUnknown = try EvaluationStore(transaction).refusalsOfUnknown(
                    for: reported.offer.id, in: range, in: number)
                return funnel
            }
            return FunnelReport {
                ($0.asOf, $0.from, $0.to, $0.offers) = (now, range.lowerBound, range.upperBound, funnels)
            }
        }
    }

    static func tally(
        _ reported: CompiledCatalogs.ReportedOffer, _ range: Range<Instant>, at now: Instant, policy: Policy,
        in number: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> FunnelTally {
        var tally = FunnelTally(
            offer: reported.offer, group: reported.group, asOf: now, policy: policy, transaction: transaction)
        let cohort = OfferCohort(
            offerId: reported.offer.id, range: range, scope: number, transaction: transaction)
        try cohort.forEach { try tally.add($0) }
        return tally
    }

    /// The range asked for, 30 days long if only its end is known.
    ///
    /// - Throws: `unusableParameter` for a range that is empty, longer than allowed, begins before 1970 or lies in the
    ///   future: no report of it would say anything.
    static func range(
        from: Instant?, to: Instant?, at now: Instant, longestDays: Int64 = longestDays
    ) throws(RequestError) -> Range<Instant> {
        // What was decided in this very millisecond is known too.
        let to = to ?? now.adding(milliseconds: 1)
        let given = from
        let from = from ?? to.adding(milliseconds: -usualDays * Instant.Duration.day)
        try check(begin: from, from: given)
        guard from <= now else {
            throw .unusableParameter(
                name: given == nil ? "to" : "from",
                detail: "the range begins at `\(from)`, which is in the future: nothing has happened yet",
                hint: nil)
        }
        guard from < to else {
            throw .unusableParameter(
                name: "to", detail: "the range ends at `\(to)`, but it begins at `\(from)`",
                hint: "a range holds what happened from `from` on and before `to`")
        }
        guard to.milliseconds(since: from) <= longestDays * Instant.Duration.day else {
            throw .unusableParameter(
                name: "from", detail: "the range is longer than \(longestDays) days",
                hint: "ask for shorter ranges one after the other")
        }
        return from..<to
    }

    /// - Parameter from: the one that was asked for; without it the end decides where the range begins.
    /// - Throws: `unusableParameter` for a time before 1970, which no request could name.
    static func check(begin: Instant, from: Instant?) throws(RequestError) {
        guard begin.milliseconds >= 0 else {
            throw .unusableParameter(
                name: from == nil ? "to" : "from",
                detail: "the range would begin at `\(begin)`, before 1970: nothing had happened yet",
                hint: "ask for a later range")
        }
    }
}
