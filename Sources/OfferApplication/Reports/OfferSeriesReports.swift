package import OfferAPI
package import OfferModel
import OfferStore

/// What happened to one offer by date: requested, issued, redeemed, paid (docs/reports.md).
///
/// Unlike the funnel, which follows customers, it counts each event in the bucket of its own date.
public struct OfferSeriesReports: Sendable {
    let database: any StoreDatabase
    let catalogs: CompiledCatalogs
    let timeZones: TimeZones
    let policy: Policy
    let clock: RequestClock
    let work: LongWork

    /// A day more than a leap year: where clocks change, a local year may be an hour longer.
    static let longestDays: Int64 = 367
    private static let pageSize = 256

    /// The series of an offer that is in the catalog or was ever evaluated.
    ///
    /// It reads one snapshot page by page, in memory that does not grow with the rows.
    ///
    /// - Parameters:
    ///   - from: events from then on; if absent, from the beginning of the bucket that lies 30 days before the end.
    ///   - to: events before; until now if absent or later.
    ///   - timeZone: whose days the buckets are; UTC if absent.
    ///   - countsProducts: whether trials and churn of the offer's products are counted, for which every customer is read.
    /// - Throws: `unknownOffer`, `noCatalog`, `unusableParameter`, `busy` while another report is made.
    package func series(
        of offerId: OfferId, by unit: CalendarUnit = .day, from: Instant? = nil, to: Instant? = nil,
        timeZone: String? = nil, countsProducts: Bool = false, caller: Caller
    ) async throws -> OfferSeries {
        let timeZone = timeZone ?? TimeZones.utcName
        let calendar = try calendar(of: timeZone)
        let scope = caller.scope
        let policy = policy.scaled(for: scope.environment)
        return try await work.read(database) { transaction in
            let now = try clock.tolerantInstant(transaction)
            let end = min(to ?? .distantFuture, now.adding(milliseconds: 1))
            let asked = try FunnelReports.range(from: from, to: end, at: now, longestDays: Self.longestDays)
            guard let number = try ScopeStore(transaction).number(of: scope) else {
                throw RequestError.noCatalog(scope)
            }
            let offers = try catalogs.reportedOffers(offerId, of: number, in: scope, transaction)
            let buckets = calendar.buckets(of: unit, covering: asked)
            // The bucket of a given beginning may have begun before 1970, which harms nothing.
            let start = from ?? buckets.first?.range.lowerBound ?? asked.lowerBound
            try FunnelReports.check(begin: start, from: from)
            var tally = OfferSeriesTally(
                buckets, start..<asked.upperBound, countsProducts: countsProducts)
            try Self.countIssued(of: offerId, at: now, in: number, transaction, into: &tally)
            try Self.countRefused(of: offerId, in: number, transaction, into: &tally)
            if countsProducts {
                let products = Set(offers.flatMap(\.offer.products))
                try Self.countEnds(of: products, at: now, policy, in: number, transaction, into: &tally)
            }
            return OfferSeries { series in
                (series.asOf, series.offer, series.by, series.timeZone) = (now, offerId, unit, timeZone)
                (series.from, series.to, series.buckets) = (start, asked.upperBound, tally.result)
            }
        }
    }

    /// The first moment of a day, for a question that names days and not moments.
    ///
    /// - Parameters:
    ///   - midnight: 00:00 UTC on that day.
    ///   - timeZone: UTC if absent.
    /// - Throws: `unusableParameter` for a time zone that is not known.
    package func start(ofDay midnight: Instant, in timeZone: String?) throws(RequestError) -> Instant {
        try calendar(of: timeZone ?? TimeZones.utcName).start(ofDay: midnight)
    }

    private func calendar(of timeZone: String) throws(RequestError) -> LocalCalendar {
        guard let calendar = timeZones.calendar(timeZone) else {
            throw .unusableParameter(
                name: "timeZone", detail: "`\(timeZone.prefix(100))` is not a time zone that the server knows",
                hint: "write `UTC`, or a name of the IANA database such as `Europe/Berlin`")
        }
        return calendar
    }

    private static func countIssued(
        of offerId: OfferId, at now: Instant, in number: ScopeNumber, _ transaction: any StoreTransaction,
        into tally: inout OfferSeriesTally
    ) throws {
        let rows = DatedRows(transaction)
        var last: Int64?
        while true {
            let page = try IssuedOfferStore(transaction).page(
                offer: offerId, after: last, limit: pageSize, in: number)
            let (granted, regular) = (
                page.filter { $0.issuedOffer.grantId != nil }, page.filter { $0.issuedOffer.grantId == nil }
            )
            for issued in granted { tally.count(grantedAt: issued.issuedOffer.issuedAt) }
            let uses = try OfferUses(of: regular, at: now, transaction)
            for issued in regular.map(\.issuedOffer) {
                tally.count(issuedAt: issued.issuedAt)
                for redemption in uses.redemptions[issued.id] ?? [] {
                    tally.count(redeemedAt: redemption.firstEvidence, cost: issued.cost)
                }
                for payment in uses.payments[issued.id] ?? [] { tally.count(payment) }
            }
            for signedAt in try rows.furtherSignings(of: regular) { tally.count(signedAt: signedAt) }
            guard page.count == pageSize else { return }
            last = page.last?.sequence
        }
    }

    private static func countRefused(
        of offerId: OfferId, in number: ScopeNumber, _ transaction: any StoreTransaction,
        into tally: inout OfferSeriesTally
    ) throws {
        var last: Int64 = 0
        while true {
            let page = try DatedRows(transaction).refusals(
                of: offerId, in: tally.range, after: last, limit: pageSize, in: number)
            for refusal in page {
                let record = try refusal.record.map { try DecisionRecord(stored: $0) }
                tally.count(refusedAt: refusal.decidedAt, by: record.map { BlockingRules($0.findings) })
            }
            guard page.count == pageSize, let sequence = page.last?.sequence else { return }
            last = sequence
        }
    }

    private static func countEnds(
        of products: Set<ProductId>, at now: Instant, _ policy: Policy, in number: ScopeNumber,
        _ transaction: any StoreTransaction, into tally: inout OfferSeriesTally
    ) throws {
        let pages = CustomerPages(transaction, scope: number)
        var last: CustomerNumber?
        while true {
            let page = try pages.page(after: last)
            for history in try HistoryStore(transaction).histories(of: page.map { [$0.customer] }) {
                for period in EndedPeriod.all(of: products, in: history, at: now, policy: policy) {
                    tally.count(period)
                }
            }
            guard page.count == CustomerPages.size else { return }
            last = page.last?.customer
        }
    }
}
