import OfferModel

/// The offers these tests ask for.
enum BenchCatalog {
    static let head = """
        bundleId: com.example.pro
        subscriptionGroups:
          - id: "21500001"
            products:
              - { productId: monthly, level: 1, period: P1M, price: { amount: "9.99", currency: USD } }
              - { productId: yearly, level: 1, period: P1Y, price: { amount: "79.99", currency: USD } }
        offers:

        """

    /// Once per customer, in both formats.
    static let comeback = """
          - id: comeback
            type: promotional
            offerIdentifier: comeback50
            products: [monthly]
            paymentMode: payAsYouGo
            period: P1M
            periodCount: 3
            price: { amount: "4.99", currency: USD }
            status: active
            limits: [ { count: 1, per: customer } ]
            formats: [v2, v1]

        """

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
          - id: either
            type: promotional
            offerIdentifier: either10
            products: [monthly, yearly]
            paymentMode: freeTrial
            period: P1M
            periodCount: 1
            status: active
            limits: []
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

    static let yaml = head + comeback + others

    /// Apple's name and the allowance of each offer with a limit.
    static let limits: [OfferId: (offerIdentifier: OfferIdentifier?, count: Int)] = [
        "comeback": ("comeback50", 1), "twice": ("twice10", 2), "welcome": (nil, 1), "back": ("back_free", 1),
        "engaged": ("engaged20", 1),
    ]
}
