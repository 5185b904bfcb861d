import CommandLineSupport
import Foundation
import OfferModel

/// The parts of Xcode's StoreKit configuration file that `offerd` uses.
struct StoreKitFile: Decodable {
    struct KeyPair: Decodable {
        var id: String
        /// PKCS#8 in Base64.
        var privateKey: String
    }

    struct Group: Decodable {
        var id: String
        var subscriptions: [Subscription]
    }

    struct Subscription: Decodable {
        var productID: String
        var groupNumber: Int?
        var displayPrice: String
        var recurringSubscriptionPeriod: String
        /// From version 5 on.
        var billingPlans: [Plan]?
        var introductoryOffer: Terms?
        /// From version 5 on, one for each billing plan; such a file may have both.
        var introductoryOffers: [Terms]?
        /// Promotional offers.
        var adHocOffers: [Terms]?
        var winbackOffers: [Terms]?
    }

    struct Plan: Decodable {
        var billingPlanType: String
        /// A plan that is not enabled may lack it.
        var displayPrice: String?
        var commitmentDisplayPrice: String?
        var isEnabled: Bool?
    }

    struct Terms: Decodable {
        /// Absent for introductory offers.
        var offerID: String?
        var paymentMode: String
        var subscriptionPeriod: String
        var numberOfPeriods: Int?
        /// Absent for free offers.
        var displayPrice: String?
        var billingPlanType: String?
    }

    struct Settings: Decodable {
        enum CodingKeys: String, CodingKey {
            case locale = "_locale"
        }

        var locale: String?
    }

    var subscriptionOffersKeyPair: KeyPair?
    var subscriptionGroups: [Group]
    var settings: Settings?

    init(path: String) throws {
        let bytes = try InputFile.bytes(path, "StoreKit configuration file", most: Self.mostBytes)
        do {
            self = try JSONDecoder().decode(StoreKitFile.self, from: Data(bytes))
        } catch DecodingError.keyNotFound(let key, let context) {
            throw Self.unreadable(path, "`\(Self.place(context.codingPath + [key]))` is missing")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            guard !context.codingPath.isEmpty else { throw Self.unreadable(path, "it is not a JSON object") }
            throw Self.unreadable(path, "`\(Self.place(context.codingPath))` is not what Xcode writes there")
        } catch {
            throw Self.unreadable(path, "it is not JSON")
        }
    }

    private static let mostBytes = 4 * 1_024 * 1_024

    private static func place(_ path: [any CodingKey]) -> String {
        path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined().trimmingPrefix(".").description
    }

    private static func unreadable(_ path: String, _ reason: String) -> CommandFailure {
        CommandFailure(
            .usage, "`\(path)` is not a StoreKit configuration file: \(reason)",
            hints: ["in Xcode, choose File, New, File from Template, StoreKit Configuration File"])
    }

    /// The key as PEM, the form of the files that hold keys.
    static func pem(_ pair: KeyPair) -> String {
        let digits = Array(pair.privateKey.filter { !$0.isWhitespace })
        let lines = stride(from: 0, to: digits.count, by: 64).map { String(digits[$0...].prefix(64)) }
        // In two parts, so that no file of the repository looks as if it held a key.
        let label = "PRIVATE" + " KEY-----"
        return (["-----BEGIN \(label)"] + lines + ["-----END \(label)", ""]).joined(separator: "\n")
    }
}

extension StoreKitFile {
    var hasSubscriptions: Bool { subscriptionGroups.contains { !$0.subscriptions.isEmpty } }

    /// A catalog with the file's subscriptions and offers, each active, unlimited and in both formats.
    ///
    /// - Parameter leaveOut: receives, in words, each offer that a catalog cannot have beside another.
    /// - Throws: a failure for a price or a period that a catalog does not have.
    func catalog(for app: String, leaveOut: (String) -> Void) throws -> Catalog {
        var catalog = Catalog(bundleId: BundleId(app))
        for group in subscriptionGroups where !group.subscriptions.isEmpty {
            let products = try group.subscriptions.map { try product($0, leaveOut) }
            catalog.subscriptionGroups.append(SubscriptionGroup(id: SubscriptionGroupId(group.id), products: products))
            var offers: [Offer] = []
            for offer in try zip(group.subscriptions, products).flatMap({ try self.offers($0, of: $1, leaveOut) }) {
                // Xcode lists an offer of several products with each; a catalog lists the products with the offer.
                let place = offers.firstIndex {
                    $0.type == offer.type && $0.offerIdentifier == offer.offerIdentifier
                        && (offer.offerIdentifier != nil || $0.id == offer.id)
                }
                guard let place else {
                    offers.append(offer)
                    continue
                }
                var same = offer
                same.products = offers[place].products
                if same == offers[place] {
                    offers[place].products += offer.products.filter { !same.products.contains($0) }
                } else {
                    leaveOut(
                        "\(Self.words(offer)) is left out: its terms differ from those of "
                            + "\(Self.words(offers[place])), and a catalog has one offer of a name in a group")
                }
            }
            for var offer in offers {
                let hasPlans = products.contains { offer.products.contains($0.productId) && !$0.billingPlans.isEmpty }
                if !hasPlans { offer.billingPlan = nil }
                if catalog.offers.contains(where: { $0.id == offer.id }) {
                    offer.id = Self.id("\(offer.products[0]).\(offer.id)")
                }
                catalog.offers.append(offer)
            }
        }
        return catalog
    }

    private func product(_ subscription: Subscription, _ leaveOut: (String) -> Void) throws -> Product {
        var product = Product(
            productId: ProductId(subscription.productID), level: subscription.groupNumber ?? 1,
            period: try Self.period(subscription.recurringSubscriptionPeriod, subscription),
            price: try money(subscription.displayPrice, subscription))
        var plans: [BillingPlan] = []
        for plan in subscription.billingPlans ?? [] where plan.isEnabled ?? true {
            let type = BillingPlanType(rawValue: plan.billingPlanType)
            guard type.name != nil else {
                leaveOut(
                    "the billing plan `\(type.rawValue)` of `\(product.productId)` is left out: a catalog does not "
                        + "have it")
                continue
            }
            let price = try money(plan.displayPrice ?? "", subscription)
            if type == .billedUpfront { product.price = price }
            plans.append(
                BillingPlan(
                    type: type, price: price,
                    commitmentPrice: try plan.commitmentDisplayPrice.map { try money($0, subscription) }
                        ?? BillingPlan.commitmentPrice(of: price)))
        }
        // Every file of version 5 has the plan that is billed up front, and alone it says nothing more.
        if plans.contains(where: { $0.type != .billedUpfront }) { product.billingPlans = plans }
        return product
    }

    private func offers(
        _ subscription: Subscription, of product: Product, _ leaveOut: (String) -> Void
    ) throws -> [Offer] {
        var introductory = subscription.introductoryOffers ?? []
        if let other = subscription.introductoryOffer, !introductory.contains(where: other.hasTerms(of:)) {
            introductory.append(other)
        }
        let named = [(OfferType.promotional, subscription.adHocOffers), (.winBack, subscription.winbackOffers)]
        let all =
            introductory.map { (OfferType.introductory, $0) }
            + named.flatMap { type, all in (all ?? []).map { (type, $0) } }
        var offers: [Offer] = []
        for (type, terms) in all {
            let offer = try offer(type, terms, subscription)
            if let plan = offer.billingPlan, !product.has(plan) {
                leaveOut("\(Self.words(offer)) is left out: the product does not have that plan, or it is not enabled")
            } else if type == .introductory, offers.contains(where: { $0.id == offer.id }) {
                leaveOut("another \(Self.words(offer)) is left out: a billing plan has one introductory offer")
            } else {
                offers.append(offer)
            }
        }
        return offers
    }

    /// `` `comeback50` of `com.example.pro.yearly` (monthly with a 12-month commitment) ``.
    private static func words(_ offer: Offer) -> String {
        let plan = offer.billingPlan.flatMap { $0 == .billedUpfront ? nil : $0 }
        return "`\(offer.id)` of `\(offer.products[0])`" + (plan.map { " (billing plan: \($0.words))" } ?? "")
    }

    /// The id in the catalog for a name of the file, which may be longer and begin with any character.
    private static func id(_ name: String) -> OfferId {
        OfferId(String(name.suffix(64).drop { !($0.isASCII && ($0.isLetter || $0.isNumber)) }))
    }

    private func offer(_ type: OfferType, _ terms: Terms, _ subscription: Subscription) throws -> Offer {
        guard let mode = Self.modes[terms.paymentMode] else {
            throw Self.failure("the payment mode `\(terms.paymentMode)`", subscription)
        }
        let delivery: Delivery =
            switch type {
            case .introductory: .introductoryEligibility
            case .promotional: .signature
            case .winBack: .appStore
            }
        let plan = terms.billingPlanType.map { BillingPlanType(rawValue: $0) } ?? .billedUpfront
        let id =
            switch type {
            case .introductory where plan == .billedUpfront: "\(subscription.productID).introductory"
            case .introductory: "\(subscription.productID).introductory.\(plan.name ?? plan.rawValue)"
            case .promotional, .winBack: terms.offerID ?? ""
            }
        var offer = Offer(
            id: Self.id(id), type: type, delivery: delivery,
            offerIdentifier: type == .introductory ? nil : OfferIdentifier(terms.offerID ?? ""),
            products: [ProductId(subscription.productID)], paymentMode: mode,
            period: try Self.period(terms.subscriptionPeriod, subscription),
            periodCount: terms.numberOfPeriods ?? 1,
            price: mode == .freeTrial ? nil : try money(terms.displayPrice ?? "", subscription), limits: [])
        offer.billingPlan = plan
        if delivery == .signature {
            offer.formats = [.v2, .v1]
            offer.signaturesPerOffer = 100
        }
        return offer
    }

    private static let modes: [String: PaymentMode] = [
        "free": .freeTrial, "payAsYouGo": .payAsYouGo, "payUpFront": .payUpFront,
    ]

    private static func period(_ text: String, _ subscription: Subscription) throws -> Period {
        guard let period = Period(text) else { throw failure("the period `\(text)`", subscription) }
        return period
    }

    /// The file has amounts without a currency: that of its locale, which Xcode shows prices in.
    private func money(_ amount: String, _ subscription: Subscription) throws -> Money {
        guard let milliunits = Money.milliunits(amount) else {
            throw Self.failure("the price `\(amount)`", subscription)
        }
        let currency = settings?.locale.flatMap { Locale(identifier: $0).currency?.identifier } ?? "USD"
        return Money(milliunits: milliunits, currency: Money.isCurrencyCode(currency) ? currency : "USD")
    }

    private static func failure(_ what: String, _ subscription: Subscription) -> CommandFailure {
        CommandFailure(
            .usage, "\(what) of `\(subscription.productID)` cannot be part of a catalog",
            hints: ["correct it in Xcode, or name a catalog of your own with `--catalog`"])
    }
}

extension StoreKitFile.Terms {
    /// Whether another says the same, perhaps of a billing plan.
    fileprivate func hasTerms(of other: Self) -> Bool {
        (paymentMode, subscriptionPeriod) == (other.paymentMode, other.subscriptionPeriod)
            && numberOfPeriods ?? 1 == other.numberOfPeriods ?? 1
            && (paymentMode == "free" || displayPrice == other.displayPrice)
    }
}
