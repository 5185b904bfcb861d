import OfferAPI
import OfferApplication

extension CatalogAppliedBody {
    init(_ applied: CatalogApplied) {
        self.init(
            revision: applied.revision,
            changes: applied.changes.map {
                CatalogChangeBody(
                    offerId: $0.offerId, change: $0.kind.rawValue, path: $0.path, from: $0.from, to: $0.to)
            })
    }
}
