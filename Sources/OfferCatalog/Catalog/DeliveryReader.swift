import OfferModel

/// Reads how an offer reaches the customer, and what depends on it.
enum DeliveryReader {
    static func delivery(_ mapping: Mapping, _ type: OfferType?) -> Delivery? {
        let field = mapping.optional("delivery")
        let stated = field?.choice(Delivery.self)
        guard let type, stated != nil || !mapping.has("delivery") else { return stated }
        let allowed: [Delivery] =
            switch type {
            case .introductory: [.introductoryEligibility]
            case .promotional: [.signature]
            case .winBack: [.signature, .appStore]
            }
        guard let stated, let field else { return allowed.first }
        guard allowed.contains(stated) else {
            let words = allowed.map { "`\($0.rawValue)`" }.joined(separator: " or ")
            field.refuse(
                .notAllowed, "\(type.rawValue) offers cannot have `delivery: \(stated.rawValue)`",
                hint: "use \(words), or leave it out")
            return nil
        }
        return stated
    }

    static func offerIdentifier(
        _ mapping: Mapping, _ type: OfferType?, _ delivery: Delivery?, _ products: [ProductId]?,
        _ context: inout OfferContext
    ) -> OfferIdentifier? {
        if type == .introductory {
            mapping.refuse(
                key: "offerIdentifier", .notAllowed, "an introductory offer has no offerIdentifier",
                hint: "leave it out: Apple has one introductory offer per product, without a name")
            return nil
        }
        guard let field = type == nil ? mapping.optional("offerIdentifier") : mapping.required("offerIdentifier")
        else { return nil }
        let form = delivery == .appStore ? TextForm.winBackOfferIdentifier : .promotionalOfferIdentifier
        guard let identifier = field.text(form).map({ OfferIdentifier($0) }) else { return nil }
        if let product = products?.first, let group = context.catalog.product(product)?.group {
            context.insert(identifier, in: group.id, at: field)
        }
        return identifier
    }

    static func formats(_ mapping: Mapping, _ delivery: Delivery?) -> [SignatureFormat]? {
        if let delivery, delivery != .signature {
            mapping.refuse(
                key: "formats", .notAllowed, "`formats` goes with `delivery: signature` only", hint: "leave it out")
            return nil
        }
        return mapping.optional("formats")?.list()?.distinct { $0.choice(SignatureFormat.self) }
    }
}
