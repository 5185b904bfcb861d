import CommandLineSupport
import Foundation
import OfferModel

/// What `offerd` needs of a StoreKit configuration file, as Xcode writes it.
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
        var introductoryOffer: Terms?
        /// From version 5 on; such a file may have both.
        var introductoryOffers: [Terms]?
        /// Promotional offers.
        var adHocOffers: [Terms]?
        var winbackOffers: [Terms]?
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
            let products = try group.subscriptions.map { subscription in
                Product(
                    productId: ProductId(subscription.productID), level: subscription.groupNumber ?? 1,
                    period: try Self.period(subscription.recurringSubscriptionPeriod, subscription),
                    price: try money(subscription.displayPrice, subscription))
            }
            catalog.subscriptionGroups.append(SubscriptionGroup(id: SubscriptionGroupId(group.id), products: products))
            var offers: [Offer] = []
            for offer in try group.subscriptions.flatMap(self.offers) {
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
                    offers[place].products += offer.products
                } else {
                    leaveOut(
                        "`\(offer.id)` of `\(offer.products[0])` is left out: its terms differ from those of "
                            + "`\(offers[place].products[0])`, and a catalog has one offer of a name in a group")
                }
            }
            for var offer in offers {
                if catalog.offers.contains(where: { $0.id == offer.id }) {
                    offer.id = OfferId(String("\(offer.products[0]).\(offer.id)".suffix(64)))
                }
                catalog.offers.append(offer)
            }
        }
        return catalog
    }

    private func offers(_ subscription: Subscription) throws -> [Offer] {
        let introductory = subscription.introductoryOffers?.first ?? subscription.introductoryOffer
        // Of one that is listed for several billing plans the first: a catalog does not tell them apart.
        var seen: Set<String> = []
        let named = [(OfferType.promotional, subscription.adHocOffers), (.winBack, subscription.winbackOffers)]
            .flatMap { type, all in (all ?? []).map { (type, $0) } }
            .filter { seen.insert($0.1.offerID ?? "").inserted || $0.1.billingPlanType == nil }
        let all = (introductory.map { [(OfferType.introductory, $0)] } ?? []) + named
        return try all.map { try offer($0, $1, subscription) }
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
        let id = type == .introductory ? "\(subscription.productID).introductory" : terms.offerID ?? ""
        var offer = Offer(
            id: OfferId(String(id.suffix(64))), type: type, delivery: delivery,
            offerIdentifier: type == .introductory ? nil : OfferIdentifier(terms.offerID ?? ""),
            products: [ProductId(subscription.productID)], paymentMode: mode,
            period: try Self.period(terms.subscriptionPeriod, subscription),
            periodCount: terms.numberOfPeriods ?? 1,
            price: mode == .freeTrial ? nil : try money(terms.displayPrice ?? "", subscription), limits: [])
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
