import OfferAPI
import OfferModel

/// Offers of the catalog for people.
enum OfferText {
    /// One row an offer.
    static func table(_ offers: [OfferSummaryBody]) -> TextTable {
        var table = TextTable(["OFFER", "TYPE", "STATUS", "PAUSED", "STARTS", "ENDS", "PRIORITY"])
        for offer in offers {
            table.add([
                offer.offerId.rawValue, offer.type.rawValue, offer.status.rawValue, offer.paused ? "yes" : "no",
                offer.starts.map(TimeText.absolute), offer.ends.map(TimeText.absolute), String(offer.priority),
            ])
        }
        return table
    }

    /// Everything about one offer.
    ///
    /// - Parameter offer: the offer as the catalog in force says it, where this version of offerctl can read that.
    static func lines(_ summary: OfferSummaryBody, _ offer: Offer?, _ palette: Palette) -> [String] {
        var fields = FieldList()
        fields.add("type", summary.type.rawValue)
        fields.add("status", summary.status.rawValue)
        fields.add("paused", summary.paused ? "yes: nobody gets it until it is resumed" : "no")
        fields.add("starts", summary.starts.map(TimeText.absolute))
        fields.add("ends", summary.ends.map(TimeText.absolute))
        fields.add("priority", String(summary.priority))
        if let offer {
            fields.add("delivery", offer.delivery.rawValue)
            fields.add("App Store name", offer.offerIdentifier?.rawValue)
            fields.add("products", offer.products.map(\.rawValue).joined(separator: ", "))
            fields.add("terms", terms(offer))
            fields.add("for", AudienceText.line(offer))
            fields.add("limits", limits(offer.limits))
            fields.add("tags", offer.tags.isEmpty ? nil : offer.tags.joined(separator: ", "))
        }
        return [palette.paint(summary.offerId.rawValue.printable, .heading)] + fields.lines(palette).map { "  " + $0 }
    }

    private static func terms(_ offer: Offer) -> String {
        let length = offer.periodCount == 1 ? "\(offer.period)" : "\(offer.periodCount) × \(offer.period)"
        return "\(offer.paymentMode.rawValue), \(length)" + (offer.price.map { ", \($0)" } ?? "")
    }

    private static func limits(_ limits: [Limit]) -> String {
        guard !limits.isEmpty else { return "none" }
        return limits.map { limit in
            switch limit {
            case .perCustomer(let count, let window, let across):
                "\(count) per customer" + (window.map { " in \($0)" } ?? "") + words(across)
            case .total(let count): "\(count) in all"
            case .budget(let money): "\(money) in all"
            }
        }.joined(separator: "; ")
    }

    private static func words(_ across: Limit.Across) -> String {
        switch across {
        case .thisOffer: ""
        case .all: " across all offers"
        case .tag(let tag): " across tag `\(tag)`"
        }
    }
}
