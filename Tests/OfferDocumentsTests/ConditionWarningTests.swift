import OfferModel
import Testing

@testable import OfferDocuments

/// Conditions that probably have another meaning than intended; the catalog is accepted all the same.
@Suite struct ConditionWarningTests {
    struct Example: Sendable {
        let type: String
        let condition: String
        /// Code, path below the condition, and the sentence.
        let warnings: [[String]]
        var hint: String?
    }

    private static let examples: [Example] = [
        Example(
            type: "promotional",
            condition: """
                all:
                  - { fact: subscription.state, is: subscribed }
                  - any:
                      - { fact: subscription.willAutoRenew, is: false }
                      - { fact: subscription.daysSinceExpired, atLeast: 30 }
                """,
            warnings: [
                [
                    "neverHolds", ".all[1].any[1]",
                    "`subscription.daysSinceExpired` atLeast 30 can never hold together with `subscription.state` is "
                        + "`subscribed`, so this alternative reaches no customer",
                ]
            ],
            hint:
                "`subscription.daysSinceExpired` is known only in the states `inBillingRetryPeriod`, `expired`, `revoked`"
        ),
        Example(
            type: "promotional",
            condition: """
                any:
                  - { fact: signals.interactions, atLeast: 50 }
                  - all:
                      - { fact: signals.patterns, atLeast: 3 }
                      - { fact: signals.patterns, atMost: 2 }
                """,
            warnings: [
                [
                    "neverHolds", ".any[1]",
                    "`signals.patterns` atMost 2 can never hold together with `signals.patterns` atLeast 3, so this "
                        + "alternative reaches no customer",
                ]
            ], hint: "no value of `signals.patterns` is like that"),
        Example(
            type: "winBack",
            condition: """
                any:
                  - { fact: subscription.state, is: subscribed }
                  - { fact: subscription.monthsSinceExpired, atLeast: 2 }
                """,
            warnings: [
                [
                    "neverHolds", ".any[0]",
                    "`subscription.state` is `subscribed` can never hold for a win-back offer, so it reaches no customer",
                ]
            ], hint: "a win-back offer is for customers whose subscription has lapsed: the state `expired`"),
        Example(
            type: "promotional",
            condition: """
                any:
                  - { fact: subscription.paidMonths, atLeast: 0 }
                  - { fact: signals.interactions, atLeast: 50 }
                """,
            warnings: [["alwaysHolds", "", "the condition is always true"]],
            hint: "delete it, or correct it"),
        Example(
            type: "promotional",
            condition: """
                all:
                  - { fact: signals.interactions, atLeast: 50 }
                  - any:
                      - { fact: subscription.paidMonths, atLeast: 3 }
                      - { fact: subscription.paidMonths, atMost: 3 }
                """,
            warnings: [["alwaysHolds", ".all[1]", "the group at `all[1]` is always true"]],
            hint: "delete it, or correct it"),
        Example(
            type: "introductory", condition: "{ fact: subscription.everInGroup, is: true }",
            warnings: [
                [
                    "unusualTerms", "",
                    "`subscription.everInGroup` is true leaves only customers who bought in the group before",
                ]
            ], hint: "Apple gives them an introductory offer only if they never used one in the group"),
        Example(
            type: "promotional",
            condition: """
                any:
                  - { fact: subscription.state, in: [expired] }
                  - all:
                      - { fact: subscription.state, is: subscribed }
                      - { fact: subscription.willAutoRenew, is: false }
                """, warnings: []),
        Example(
            type: "winBack", condition: "{ fact: subscription.monthsSinceExpired, between: [1, 12] }", warnings: []),
    ]

    @Test("a comparison that never or always holds gives a warning at its place", arguments: examples.indices)
    func warnings(index: Int) throws {
        let example = Self.examples[index]
        let found = try Self.read(example.type, condition: example.condition).warnings
        #expect(
            found.map { [$0.code.rawValue, $0.path, $0.detail] }
                == example.warnings.map { [$0[0], "offers[0].eligibility" + $0[1], $0[2]] })
        #expect(found.first?.hint == example.hint)
    }

    @Test("a condition that was found open need not hold beside the rules of the App Store at the same time")
    func availableFor() throws {
        let condition = "{ fact: subscription.state, is: subscribed }"
        #expect(throws: InvalidDocument.self) { try Self.read("winBack", condition: condition) }
        let document = try Self.read("winBack", condition: condition, more: "    availableFor: PT48H\n")
        #expect(document.warnings.isEmpty)
    }

    @Test(
        "an active win-back offer that owners of a lifetime product could get gives a warning, unless its condition excludes them",
        arguments: [
            ("{ fact: subscription.monthsSinceExpired, atLeast: 1 }", "active", true),
            ("{ fact: subscription.monthsSinceExpired, atLeast: 1 }", "draft", false),
            ("{ fact: customer.owns.lifetime, is: false }", "active", false),
            ("{ fact: customer.owns.lifetime, isNot: true }", "active", false),
            ("{ not: { fact: customer.owns.lifetime, is: true } }", "active", false),
            ("{ fact: customer.purchases.lifetime, is: 0 }", "active", true),
            (
                "{ any: [{ fact: customer.owns.lifetime, is: false }, { fact: signals.vip, is: true }] }", "active",
                true
            ),
            (
                "{ all: [{ fact: customer.owns.lifetime, is: false }, { fact: signals.vip, is: true }] }", "active",
                false
            ),
        ] as [(String, String, Bool)])
    func lifetimeOwners(condition: String, status: String, isWarned: Bool) throws {
        let found = try Self.read(
            "winBack", condition: condition, status: status,
            products: "[{ productId: lifetime, type: nonConsumable }, { productId: coins, type: consumable }]"
        ).warnings
        let expected = [
            "lifetimeOwner", "offers[0].eligibility",
            "a customer who owns `lifetime` could get the win-back offer `comeback`",
            "add `{ fact: customer.owns.lifetime, is: false }` to its `eligibility`",
        ]
        #expect(found.map { [$0.code.rawValue, $0.path, $0.detail, $0.hint ?? ""] } == (isWarned ? [expected] : []))
    }

    @Test("without a condition the warning is at the offer, and it names three products at most")
    func lifetimeOwnersOfMany() throws {
        let names = ["one", "two", "three", "four"].map { "{ productId: \($0), type: nonConsumable }" }
        let found = try Self.read(
            "winBack", condition: nil, products: "[\(names.joined(separator: ", "))]"
        ).warnings
        #expect(found.map(\.path) == ["offers[0]"])
        #expect(
            found.map(\.detail) == [
                "a customer who owns `one` or `two` or `three` or another product could get the win-back offer `comeback`"
            ])
    }

    @Test("a product bought and not owned is a contradiction; owned and not bought, as through Family Sharing, is none")
    func owningAndBuying() throws {
        let products = "[{ productId: lifetime, type: nonConsumable }]"
        func both(owns: Bool, purchases: String) -> String {
            "{ all: [{ fact: customer.owns.lifetime, is: \(owns) }, { fact: customer.purchases.lifetime, \(purchases) }] }"
        }
        let bought = both(owns: false, purchases: "atLeast: 1")
        let shared = both(owns: true, purchases: "is: 0")
        #expect(throws: InvalidDocument.self) { try Self.read("promotional", condition: bought, products: products) }
        #expect(try Self.read("promotional", condition: shared, products: products).warnings.isEmpty)
    }

    @Test("a rollout that nobody is in gives a warning")
    func emptyRollout() throws {
        let condition = "{ fact: signals.interactions, atLeast: 50 }"
        let none = try Self.read("promotional", condition: condition, more: "    rollout: { percent: 0 }\n").warnings
        #expect(none.map(\.detail) == ["a rollout of 0 percent reaches no customer"])
        #expect(none.map(\.path) == ["offers[0].rollout.percent"])
        let held = "    rollout: { percent: 50, holdout: 100 }\n"
        let all = try Self.read("promotional", condition: condition, more: held).warnings
        #expect(all.map(\.detail) == ["all customers are held out"])
    }

    private static func read(
        _ type: String, condition: String?, more: String = "", status: String = "active", products: String = "[]"
    ) throws(InvalidDocument) -> ValidDocument<Catalog> {
        let lines = condition.map { ["eligibility:"] + $0.split(separator: "\n").map { "  \($0)" } } ?? []
        let tree = lines.map { "    \($0)\n" }.joined()
        let identifier = type == "introductory" ? "" : "    offerIdentifier: comeback50\n"
        let text = """
            bundleId: com.example.pro
            subscriptionGroups:
              - id: "21500001"
                products:
                  - { productId: com.example.pro.monthly, level: 1, period: P1M, price: { amount: "9.99", currency: USD } }
            products: \(products)
            offers:
              - id: comeback
                type: \(type)
            \(identifier)    products: [com.example.pro.monthly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                status: \(status)
            \(tree)\(more)    limits: [{ count: 1, per: customer }]
            """
        return try CatalogReader.read(Array(text.utf8))
    }
}
