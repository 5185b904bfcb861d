import OfferModel
import OfferTestSupport

extension TestCatalog {
    static let yaml = head + comeback() + others

    static let others = """
          - id: twice
            type: promotional
            offerIdentifier: twice10
            products: [monthly]
            paymentMode: freeTrial
            period: P1M
            periodCount: 1
            status: active
            priority: 5
            limits: [ { count: 2, per: customer } ]
            formats: [v1, v2]
          - id: welcome
            type: introductory
            products: [monthly]
            paymentMode: freeTrial
            period: P1W
            periodCount: 1
            status: active
            limits: [ { count: 1, per: customer } ]

        """ + either + """
              - id: back
                type: winBack
                delivery: signature
                offerIdentifier: back_free
                products: [monthly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                status: active
                limits: [ { count: 1, per: customer } ]
              - id: engaged
                type: promotional
                offerIdentifier: engaged20
                products: [yearly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                status: active
                eligibility: { fact: signals.interactions, atLeast: 50 }
                limits: [ { count: 1, per: customer } ]
              - id: sketch
                type: promotional
                offerIdentifier: sketch
                products: [monthly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                status: draft
                limits: []

            """

    /// Two offers that share one place per customer.
    static let rivals = ["left", "right"].map { name in
        """
          - id: \(name)
            type: promotional
            offerIdentifier: \(name)50
            products: [monthly]
            paymentMode: freeTrial
            period: P1M
            periodCount: 1
            status: active
            tags: [rival]
            limits:
              - { count: 1, per: customer, across: "tag:rival" }
              - { count: 1, per: customer, window: P30D, across: "tag:rival" }

        """
    }.joined()

    /// A free month with limits for everyone: each use costs 9.99 USD.
    static func shared(_ limits: String, id: String = "drop") -> String {
        """
          - id: \(id)
            type: promotional
            offerIdentifier: \(id)50
            products: [monthly]
            paymentMode: freeTrial
            period: P1M
            periodCount: 1
            status: active
            limits: [ \(limits) ]
            formats: [v2, v1]

        """
    }

    /// Apple's name and the allowance of each offer with a limit.
    static let limits: [OfferId: (offerIdentifier: OfferIdentifier?, count: Int)] = [
        "comeback": ("comeback50", 1), "twice": ("twice10", 2), "welcome": (nil, 1), "back": ("back_free", 1),
        "engaged": ("engaged20", 1),
    ]
}
