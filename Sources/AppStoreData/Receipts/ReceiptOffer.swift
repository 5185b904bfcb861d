import OfferModel

/// The offer that a purchase or a renewal names.
struct ReceiptOffer {
    let type: TransactionOfferType
    /// Of an offer code it is the reference name: a receipt has no other.
    let identifier: OfferIdentifier

    /// `nil` where none is named.
    init?(_ node: ReceiptNode) throws(ReceiptProblem) {
        let promotional = try node.text("promotional_offer_id")
        let code = try node.text("offer_code_ref_name")
        switch (promotional, code) {
        case (nil, nil): return nil
        case (let name?, nil): (type, identifier) = (.promotional, OfferIdentifier(name))
        case (nil, let name?): (type, identifier) = (.offerCode, OfferIdentifier(name))
        case (let promotional?, let code?):
            throw node.problem(
                "names both the promotional offer `\(promotional)` and the offer code `\(code)`, and Apple applies one")
        }
    }
}
