import OfferAPI
import OfferApplication
import OfferEligibility
import OfferModel
import OfferSigning

extension RefreshBody {
    init(_ report: RefreshReport) {
        let coverage = report.coverage
        self.init(
            customers: report.customers.map(CustomerIdentifiersBody.init),
            transactions: Counts(report.transactions), renewalInfos: Counts(report.renewalInfos),
            appTransactions: Counts(report.appTransactions),
            refused: report.refused.map {
                Refused(path: $0.pointer, code: $0.refusal.code.rawValue, detail: $0.refusal.detail)
            },
            gaps: report.gaps.map { Gap(code: $0.rawValue, detail: $0.detail) },
            coverage: CoverageBody(
                level: coverage.level.rawValue, asOf: coverage.asOf, provenance: coverage.provenance))
    }
}

extension RefreshBody.Counts {
    fileprivate init(_ counts: OutcomeCounts) {
        self.init(
            added: counts[.added], updated: counts[.updated], unchanged: counts[.unchanged],
            refused: counts[.refused])
    }
}
