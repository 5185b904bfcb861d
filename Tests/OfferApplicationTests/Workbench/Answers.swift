import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning

/// A customer named by the ids that ``Shop`` gives.
func named(_ id: String) -> CustomerIdentifiers {
    CustomerIdentifiers(originalTransactionId: TransactionId(id))
}

extension IssueRequest {
    /// An order of the customer whom the signed data proves.
    static func of(_ offer: OfferId, _ delivery: SignedDelivery) -> IssueRequest {
        IssueRequest(offerId: offer, customer: CustomerIdentifiers(), delivery: delivery)
    }
}

extension IssuedOfferView {
    var id: LowercaseUUID { issuedOfferId }
    var v1: SignatureV1Body? { signatures.v1 }
    var v2: SignatureV2Body? { signatures.v2 }
    var introductoryEligibility: IntroductoryEligibilityBody? { signatures.introductoryEligibility }
}

extension CustomerDetails {
    /// The identifiers of each customer without where they came from.
    var identified: [KnownIdentifiers] {
        customers.map { customer in
            var customer = customer
            customer.identifiers = nil
            return customer
        }
    }
}

extension IssueAnswer {
    var issued: (offer: IssuedOfferView, isNew: Bool)? {
        guard case .issued(let offer, let isNew) = self else { return nil }
        return (offer, isNew)
    }

    var refusal: IssueRefusal? {
        guard case .refused(let refusal) = self else { return nil }
        return refusal
    }

    /// Everything with a signature that leaves the process with it.
    var artefacts: [String] {
        switch self {
        case .issued(let offer, _):
            [offer.v1?.signature, offer.v2?.jws, offer.introductoryEligibility?.jws].compactMap(\.self)
        case .refused(let refusal):
            [refusal.introductoryEligibility?.jws].compactMap(\.self)
        }
    }
}

extension ReplayedDecision {
    /// The finding of a rule.
    subscript(rule: RuleId) -> FindingBody? { findings.first { $0.rule == rule.rawValue } }
}

extension Decision {
    /// The finding of a rule.
    subscript(rule: RuleId) -> Finding? { findings.first { $0.rule == rule } }

    /// The rules that stand in the way.
    var obstacles: [RuleId] {
        findings.filter { $0.verdict == .violated || $0.verdict == .undetermined }.map(\.rule)
    }
}
