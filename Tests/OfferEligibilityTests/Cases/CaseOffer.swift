import Foundation
import OfferModel

/// Reads an offer of a case in the form of the catalog (DESIGN §7); what is left out is a free month without limits.
enum CaseOffer {
    static func offer(_ member: Member, id: String) throws -> Offer {
        try member.object { object in
            let type = try object["type"]?.oneOf(OfferType.self) ?? .promotional
            let usual: Delivery = type == .introductory ? .introductoryEligibility : .signature
            var offer = Offer(
                id: OfferId(id), type: type, delivery: try object["delivery"]?.oneOf(Delivery.self) ?? usual,
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
            offer.priority = try object["priority"]?.whole() ?? 0
            offer.tags = try object["tags"]?.list().map { try $0.text() } ?? []
            offer.price = try object["price"]?.object { try $0.money() }
            offer.availableFor = try object["availableFor"]?.period()
            offer.coolDown = try object["coolDown"]?.period()
            offer.excludes = try object["excludes"]?.list().map { OfferId(try $0.text()) } ?? []
            offer.rollout = try object["rollout"]?.object { rollout in
                Rollout(
                    percent: try rollout.required("percent").number(), holdout: try rollout["holdout"]?.number() ?? 0,
                    salt: try rollout["salt"]?.text())
            }
            offer.winBackTerms = try winBackTerms(object)
            offer.signaturesPerOffer = try object["signaturesPerOffer"]?.whole() ?? Offer.defaultSignaturesPerOffer
            return offer
        }
    }

    private static func winBackTerms(_ object: Members) throws -> WinBackTerms? {
        let paid = try object["paidSubscriptionDurationInMonths"]?.whole()
        let since = try object["timeSinceLastSubscribedInMonths"]?.object { range in
            try range.required("minimum").whole()...range.required("maximum").whole()
        }
        let wait = try object["waitBetweenOffersInMonths"]?.whole()
        guard paid != nil || since != nil || wait != nil else { return nil }
        return WinBackTerms(
            paidSubscriptionDurationInMonths: paid, timeSinceLastSubscribedInMonths: since,
            waitBetweenOffersInMonths: wait)
    }

    private static func limit(_ member: Member) throws -> Limit {
        try member.object { object in
            if let spend = object["spend"] {
                guard let milliunits = Money.milliunits(try spend.text()) else {
                    throw CaseProblem(spend.path, "should be an amount")
                }
                return .budget(Money(milliunits: milliunits, currency: try object.required("currency").text()))
            }
            let count = try object.required("count").whole()
            guard let per = object["per"] else { return .total(count: count) }
            guard try per.text() == "customer" else { throw CaseProblem(per.path, "per whom?") }
            return .perCustomer(count: count, window: try object["window"]?.period(), across: try across(object))
        }
    }

    private static func across(_ object: Members) throws -> Limit.Across {
        guard let text = try object["across"]?.text() else { return .thisOffer }
        if text == "all" { return .all }
        guard text.hasPrefix("tag:") else { throw CaseProblem(object.path, "`\(text)` is not `all` or `tag:…`") }
        return .tag(String(text.dropFirst(4)))
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
