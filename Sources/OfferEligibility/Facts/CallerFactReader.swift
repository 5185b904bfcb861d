import OfferModel

/// Reads what the backend says: `signals.*`, `customer.attributes.*` and `request.*`; evidence says that it is its word.
struct CallerFactReader {
    let question: Question
    let attributes: [String: FactValue]

    func fact(_ name: FactName?) -> Fact {
        switch name {
        case .signal(let name):
            stated(question.signals[name], else: .signalMissing, .signalReceived)
        case .attribute(let name):
            stated(attributes[name], else: .attributeMissing, .attributesSet)
        case .request(let fact):
            stated(text(fact).map { .text($0) }, else: .deviceUnknown, .requestChanged)
        case .subscription, .customer, .redeemed, nil:
            Fact(.undetermined(.factUnknown))
        }
    }

    private func stated(_ value: FactValue?, else missing: ReasonCode, _ event: TurningEvent) -> Fact {
        Fact(
            value.map(Fact.Knowledge.known) ?? .undetermined(missing), provenance: value == nil ? nil : .caller,
            change: .any(event))
    }

    private func text(_ fact: RequestFact) -> String? {
        switch fact {
        case .appVersion: question.request.appVersion
        case .osVersion: question.request.osVersion
        case .locale: question.request.locale
        }
    }
}
