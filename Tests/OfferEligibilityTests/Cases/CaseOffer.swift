import Foundation
import OfferModel

/// Reads an offer of a case in the form of the catalog (DESIGN §7); what is left out is a free month without limits.
enum CaseOffer {
    static func offer(_ member: Member, id: String) throws -> Offer {
        try member.object { object in
            let type = try object["type"]?.oneOf(OfferType.self) ?? .promotional
            var offer = Offer(
                id: OfferId(id), type: type, delivery: type == .introductory ? .introductoryEligibility : .signature,
                offerIdentifier: try object["offerIdentifier"].map { OfferIdentifier(try $0.text()) },
                products: try object["products"]?.list().map { ProductId(try $0.text()) }
                    ?? ["com.example.pro.monthly"],
                paymentMode: try object["paymentMode"]?.oneOf(PaymentMode.self) ?? .freeTrial,
                period: try object["period"]?.period() ?? Period(months: 1),
                periodCount: try object["periodCount"]?.whole() ?? 1,
                limits: try object["limits"]?.list().map(limit) ?? [])
            offer.status = try object["status"]?.oneOf(OfferStatus.self) ?? .active
            offer.starts = try object["starts"]?.instant()
            offer.ends = try object["ends"]?.instant()
            offer.environments = Set(
                try object["environments"]?.list().map { try $0.oneOf(AppStoreEnvironment.self) }
                    ?? AppStoreEnvironment.allCases)
            offer.eligibility = try object["eligibility"].map(node)
            offer.coolDown = try object["coolDown"]?.period()
            offer.signaturesPerOffer = try object["signaturesPerOffer"]?.whole() ?? Offer.defaultSignaturesPerOffer
            return offer
        }
    }

    private static func limit(_ member: Member) throws -> Limit {
        try member.object { object in
            guard try object.required("per").text() == "customer" else { throw CaseProblem(member.path, "per whom?") }
            return .perCustomer(
                count: try object.required("count").whole(), window: try object["window"]?.period(),
                across: .thisOffer)
        }
    }

    static func node(_ member: Member) throws -> RuleNode {
        try member.object { object in
            if let children = object["all"] { return .all(try children.list().map(node)) }
            if let children = object["any"] { return .any(try children.list().map(node)) }
            if let child = object["not"] { return .not(try node(child)) }
            let fact = try object.required("fact").text()
            for comparisonOperator in ComparisonOperator.allCases {
                guard let operand = object[comparisonOperator.rawValue] else { continue }
                let isList = if case .array = operand.value { true } else { false }
                let operands = isList ? try operand.list() : [operand]
                return .comparison(
                    Comparison(
                        fact: fact, comparisonOperator: comparisonOperator,
                        operands: try operands.map { try $0.factValue() }))
            }
            throw CaseProblem(member.path, "lacks an operator")
        }
    }
}
