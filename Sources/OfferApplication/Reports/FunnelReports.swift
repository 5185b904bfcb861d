import OfferEligibility
import OfferModel
import OfferStore

/// Reports of what became of the customers whom issue requests asked about (docs/design.md#http).
public struct FunnelReports: Sendable {
    let database: any StoreDatabase
    let catalogs: CompiledCatalogs
    let policy: Policy
    let clock: RequestClock
    private let turns = AsyncSemaphore(1, waiting: 0)

    /// The funnel of one offer, or of every offer that the catalog has or anybody was evaluated for.
    ///
    /// It reads one snapshot customer by customer, in memory that does not grow with them, and the writer never waits for
    /// it. A server makes one report at a time: each takes one of its few readers for as long as it lasts.
    ///
    /// - Throws: ``RequestError/unknownOffer(_:)``, ``RequestError/unusableParameter(name:detail:hint:)``,
    ///   ``RequestError/busy`` while another report is made, and what the store throws.
    public func funnel(_ request: FunnelRequest, caller: Caller) async throws -> FunnelReport {
        try await turns.run { try await read(request, caller: caller) }
    }

    private func read(_ request: FunnelRequest, caller: Caller) async throws -> FunnelReport {
        let (catalogs, policy, scope, clock) = (catalogs, policy, caller.scope, clock)
        return try await database.read { transaction in
            let now = try clock.instantOfLooking(transaction)
            let range = try request.range(at: now)
            guard let number = try ScopeStore(transaction).number(of: scope) else {
                if let offerId = request.offerId { throw RequestError.unknownOffer(offerId) }
                return FunnelReport(asOf: now, range: range, offers: [])
            }
            let offers = try catalogs.reportedOffers(request.offerId, of: number, in: scope, transaction)
            let funnels = try offers.map { reported in
                try Self.funnel(of: reported, range, at: now, policy: policy, in: number, transaction)
            }
            return FunnelReport(asOf: now, range: range, offers: funnels)
        }
    }

    private static func funnel(
        of reported: CompiledCatalogs.ReportedOffer, _ range: Range<Instant>, at now: Instant, policy: Policy,
        in number: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> OfferFunnel {
        var tally = FunnelTally(reported.offer, in: reported.group, at: now, policy: policy, transaction)
        let cohort = OfferCohort(
            offerId: reported.offer.id, range: range, scope: number, transaction: transaction)
        try cohort.forEach { try tally.add($0) }
        var funnel = tally.funnel
        funnel.requestsOfUnknown = try EvaluationStore(transaction).refusalsOfUnknown(
            for: reported.offer.id, in: range, in: number)
        return funnel
    }
}
