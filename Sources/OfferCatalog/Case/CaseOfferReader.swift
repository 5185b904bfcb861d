import OfferModel

/// Reads an offer that a file of cases states itself: the form of the catalog with every key optional.
///
/// What is left out is a free month of ``CaseWorld/product`` without limits, so that a case says only what it is about.
/// Terms are not held to what App Store Connect offers.
enum CaseOfferReader {
    static let keys = OfferReader.keys.filter { $0 != "id" }

    static func read(_ field: Field, id: String, _ context: inout OfferContext) -> Offer? {
        guard let mapping = field.mapping(keys) else { return nil }
        context.insert(OfferId(id), at: field)
        let type = mapping.choice("type", OfferType.self, default: .promotional)
        let usual: Delivery = type == .introductory ? .introductoryEligibility : .signature
        let delivery = mapping.choice("delivery", Delivery.self, default: usual)
        let mode = mapping.choice("paymentMode", PaymentMode.self, default: .freeTrial)
        let status = mapping.choice("status", OfferStatus.self, default: .active)
        let period = mapping.value("period", default: Period(months: 1)) { $0.period() }
        let count = mapping.value("periodCount", default: 1) { $0.wholeNumber(AppleTerms.periodCounts) }
        let products = mapping.value("products", default: [CaseWorld.product.productId]) { field in
            field.list()?.distinct { $0.text(.productId).map { ProductId($0) } }
        }
        let identifier = mapping.optional("offerIdentifier")?.text(.promotionalOfferIdentifier)
        let price = mapping.optional("price")?.money()
        let limits = mapping.value("limits", default: []) { LimitReader.read($0, [], &context) }
        var parts = OfferParts()
        parts.read(mapping, &context)
        parts.readConditions(mapping, of: OfferId(id), &context)
        let formats = mapping.optional("formats")?.list()?.distinct { $0.choice(SignatureFormat.self) }
        let winBackTerms = WinBackTermsReader.read(mapping, type, nil)
        guard let type, let delivery, let mode, let status, let period, let count, let products, let limits else {
            return nil
        }
        var offer = Offer(
            id: OfferId(id), type: type, delivery: delivery, offerIdentifier: identifier.map { OfferIdentifier($0) },
            products: products, paymentMode: mode, period: period, periodCount: count, price: price, limits: limits)
        parts.apply(to: &offer)
        offer.status = status
        if let formats { offer.formats = formats }
        offer.winBackTerms = winBackTerms
        return offer
    }
}
