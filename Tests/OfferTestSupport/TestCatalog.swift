/// The catalog of the tests, in parts: an app with a monthly and a yearly product of one group, and offers to put below
/// it. What only some tests ask for, they add in an extension.
public enum TestCatalog {
    /// The app and the list of its offers, to be followed by them.
    public static let head = app() + "offers:\n"

    /// - Parameter prefix: what the ids of the products begin with.
    public static func app(_ prefix: String = "") -> String {
        """
        bundleId: com.example.pro
        subscriptionGroups:
          - id: "21500001"
            products:
              - { productId: \(prefix)monthly, level: 1, period: P1M, price: { amount: "9.99", currency: USD } }
              - { productId: \(prefix)yearly, level: 1, period: P1Y, price: { amount: "79.99", currency: USD } }

        """
    }

    /// Half price for three months, once per customer, in both formats.
    ///
    /// - Parameters:
    ///   - state: the subscription's state that it is for; any if absent.
    ///   - formats: in that order; who asks for none gets the first.
    public static func comeback(
        _ id: String = "comeback", of product: String = "monthly", to state: String? = nil, formats: String = "v2, v1"
    ) -> String {
        let eligibility = state.map { "    eligibility: { fact: subscription.state, in: [\($0)] }\n" } ?? ""
        return """
              - id: \(id)
                type: promotional
                offerIdentifier: \(id)50
                products: [\(product)]
                paymentMode: payAsYouGo
                period: P1M
                periodCount: 3
                price: { amount: "4.99", currency: USD }
                status: active
            \(eligibility)    limits: [ { count: 1, per: customer } ]
                formats: [\(formats)]

            """
    }

    /// A free month of either product, as often as one likes.
    public static let either = """
          - id: either
            type: promotional
            offerIdentifier: either10
            products: [monthly, yearly]
            paymentMode: freeTrial
            period: P1M
            periodCount: 1
            status: active
            limits: []

        """
}
