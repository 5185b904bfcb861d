/// A catalog in which every rule has something to say.
enum FuzzedCatalog {
    static let yaml = """
        bundleId: com.example.pro
        subscriptionGroups:
          - id: "21500001"
            products:
              - { productId: monthly, level: 1, period: P1M, price: { amount: "9.99", currency: USD } }
              - { productId: yearly, level: 1, period: P1Y, price: { amount: "79.99", currency: USD } }
        offers:
          - id: comeback
            type: promotional
            offerIdentifier: comeback50
            products: [monthly]
            paymentMode: payAsYouGo
            period: P1M
            periodCount: 3
            price: { amount: "4.99", currency: USD }
            status: active
            eligibility:
              any:
                - { fact: subscription.state, in: [expired] }
                - { fact: subscription.daysSinceExpired, atLeast: 30 }
                - { fact: subscription.daysUntilExpiry, atMost: 7 }
                - { fact: subscription.monthsSinceExpired, atLeast: 2 }
                - { fact: subscription.paidMonths, atLeast: 6 }
                - { fact: customer.daysSinceFirstPurchase, atLeast: 90 }
                - { fact: customer.daysSinceLastOffer, atLeast: 90 }
                - { fact: signals.s0, atLeast: 50 }
                - { fact: customer.attributes.s1, is: "a" }
            availableFor: PT48H
            limits:
              - { count: 1, per: customer, window: P90D }
              - { count: 100 }
              - { spend: "25000.00", currency: USD }
            coolDown: P30D
            rollout: { percent: 50, holdout: 10 }
            formats: [v2, v1]
          - id: trial
            type: introductory
            products: [monthly, yearly]
            paymentMode: freeTrial
            period: P1W
            periodCount: 1
            status: active
            limits: []
          - id: back
            type: winBack
            offerIdentifier: back25
            products: [yearly]
            paymentMode: payUpFront
            period: P1Y
            periodCount: 1
            price: { amount: "39.99", currency: USD }
            status: active
            delivery: appStore
            paidSubscriptionDurationInMonths: 1
            timeSinceLastSubscribedInMonths: { minimum: 2, maximum: 24 }
            waitBetweenOffersInMonths: 3
            limits: [ { count: 1, per: customer } ]

        """
}
