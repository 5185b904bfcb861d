import Foundation
import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Effect of each type of notification")
struct NotificationTypeTests {
    private static let customer = CustomerIdentifiers(originalTransactionId: "1001")
    private static let caller = Workbench.caller(.client, scope: Workbench.sandbox)

    private func standing(_ story: KnownSubject) throws -> SubscriptionState? {
        let states = story.history.subscriptionStates(at: story.now)
        #expect(states.count <= 1)
        return states.first
    }

    private func word(_ state: SubscriptionState?) -> String? {
        state?.name?.rawValue ?? state?.resolution.undeterminedReason?.rawValue
    }

    @Test(
        "a notification changes the state only by what is signed in it, whatever its type (invariant 6)",
        arguments: NotificationRow.all)
    func meaning(_ row: NotificationRow) async throws {
        let bench = try await Workbench(catalog: nil)
        let now = bench.clock.now
        if let before = row.before(now: now) {
            try await bench.deliver(
                SignedDelivery(
                    signedTransactions: [try bench.shop.signed(before.transaction)],
                    signedRenewalInfo: [try bench.shop.signed(before.renewalInfo)]), caller: Self.caller)
            let story = try await bench.known(Self.customer, caller: Self.caller)
            #expect(word(try standing(story)) == row.expected("stateBefore", as: String.self) ?? "subscribed")
        }
        let payloads = try await bench.payloads()
        let receipt = try await bench.notify(try bench.shop.notification(row))
        #expect(receipt.outcome == row.outcome && !receipt.repeated)
        #expect(receipt.notificationType.rawValue == row.type && receipt.subtype?.rawValue == row.subtype)
        if row.outcome == .noHistory { #expect(try await bench.payloads() == payloads) }

        let story = try await bench.known(Self.customer, caller: Self.caller)
        let state = try standing(story)
        #expect(word(state) == row.expected("state", as: String.self))
        if row.speaks(of: "willAutoRenew") {
            #expect(state?.willAutoRenew == row.expected("willAutoRenew", as: Bool.self))
        }
        if row.speaks(of: "accessEnds") { #expect(state?.accessEnds == row.instant("accessEnds", now: now)) }
        if row.speaks(of: "product") {
            #expect(state?.transaction?.productId.rawValue == row.expected("product", as: String.self))
        }
        if row.speaks(of: "pendingProduct") {
            #expect(state?.pendingProductId?.rawValue == row.expected("pendingProduct", as: String.self))
        }
        #expect(
            story.redemptions.compactMap(\.offerIdentifier?.rawValue) == row.expected("redeemed", as: [String].self)
                ?? [])

        let stored = try await bench.database.read { transaction in
            let scope = try #require(try ScopeStore(transaction).number(of: Workbench.sandbox))
            return try NotificationStore(transaction).newest(in: scope)
        }
        #expect(stored?.type.rawValue == row.type && stored?.subtype?.rawValue == row.subtype)
        #expect(stored?.outcome == row.outcome && stored?.source == .delivered)
    }

    @Test("docs/notifications.md lists every type and subtype, and says of each what the code does")
    func documented() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/notifications.md"), encoding: .utf8)
        let name = /\| (?<types>`[A-Z_]+`(?: \/ `[A-Z_]+`)?(?:, `[A-Z_]+`(?: \/ `[A-Z_]+`)?)*) \|/
        let documented = text.split(separator: "\n").flatMap { line -> [String] in
            guard let match = line.prefixMatch(of: name) else { return [] }
            return match.types.replacing("`", with: "").components(separatedBy: ", ")
        }
        let known = NotificationRow.all.filter { !$0.isInvented }.map(\.testDescription)
        #expect(known.count == 41)
        #expect(documented.sorted() == known.sorted())
    }
}

extension Workbench {
    /// The bytes of every payload of the history.
    func payloads() async throws -> [[UInt8]] {
        try await database.read { transaction in
            try ["history_transaction", "history_renewal_info", "history_app_transaction"].flatMap { table in
                try transaction.rows(Statement("SELECT payload FROM \(table)")).map {
                    try $0.value(0, as: [UInt8].self)
                }
            }.sorted { $0.lexicographicallyPrecedes($1) }
        }
    }
}
