import OfferEligibility
import OfferModel
import OfferStore

/// The offer funnel: evaluated, issued, redeemed, renewed (docs/design.md#http).
public struct FunnelReports: Sendable {
    let database: any StoreDatabase
    let catalogs: CompiledCatalogs
    let policy: Policy
    let clock: RequestClock
    private let turns = AsyncSemaphore(1, waiting: 0)

    /// The funnel of one offer, or of every offer that is in the catalog or was ever evaluated.
    ///
    /// It reads one snapshot customer by customer, in memory that does not grow with them, and the writer never waits for
    /// it. A server makes one report at a time: each takes one of its few readers for as long as it lasts.
    ///
    /// - Throws: `unknownOffer`, `unusableParameter`, `busy` while another report is made.
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
        var tally = FunnelTally(
            offer: reported.offer, group: reported.group, asOf: now, policy: policy, transaction: transaction,
            funnel: OfferFunnel(offerId: reported.offer.id))
        let cohort = OfferCohort(
            offerId: reported.offer.id, range: range, scope: number, transaction: transaction)
        try cohort.forEach { try tally.add($0) }
        var funnel = tally.funnel
        funnel.requestsOfUnknown = try EvaluationStore(transaction).refusalsOfUnknown(
            for: reported.offer.id, in: range, in: number)
        return funnel
    }
}
