import OfferModel

/// Reads one entry of `offers`.
enum OfferReader {
    static let keys =
        [
            "id", "type", "delivery", "offerIdentifier", "products", "paymentMode", "period", "periodCount", "price",
            "status", "starts", "ends", "priority", "tags", "environments", "eligibility", "availableFor", "limits",
            "coolDown", "excludes", "rollout", "formats", "signaturesPerOffer",
        ] + WinBackTermsReader.keys

    static func read(_ field: Field, _ context: inout OfferContext) -> Offer? {
        guard let mapping = field.mapping(keys) else { return nil }
        let id = mapping.required("id").flatMap { field in
            field.text(.name).map { text in
                context.insert(OfferId(text), at: field)
                return OfferId(text)
            }
        }
        let type = mapping.required("type")?.choice(OfferType.self)
        let delivery = DeliveryReader.delivery(mapping, type)
        let products = ProductsReader.read(mapping.required("products"), context)
        let identifier = DeliveryReader.offerIdentifier(mapping, type, delivery, products, &context)
        let terms = TermsReader.read(mapping, products, context.catalog)
        let limits = LimitReader.read(
            mapping.required("limits"), (products ?? []).compactMap { context.catalog.product($0)?.product }, &context)
        let status = mapping.required("status")?.choice(OfferStatus.self)
        var parts = OfferParts()
        parts.read(mapping, &context)
        parts.readConditions(mapping, of: id, &context)
        let formats = DeliveryReader.formats(mapping, delivery)
        let winBackTerms = WinBackTermsReader.read(mapping, type, delivery)
        guard let id, let type, let delivery, let products, let terms, let limits, let status else {
            return nil
        }
        var offer = Offer(
            id: id, type: type, delivery: delivery, offerIdentifier: identifier, products: products,
            paymentMode: terms.mode, period: terms.period, periodCount: terms.count, price: terms.price,
            limits: limits)
        parts.apply(to: &offer)
        offer.status = status
        if let formats { offer.formats = formats }
        offer.winBackTerms = winBackTerms
        if let condition = mapping.optional("eligibility") {
            ConditionCheck(field: condition, offer: offer).run(&context.satisfiability)
        }
        return offer
    }
}
