// Asks offerd what a customer may have, requests an offer, turns the response into StoreKit's purchase options and reports
// the purchase. Copy the file into your app.
//
//     let client = OfferClient(url: URL(string: "http://127.0.0.1:8080")!, token: "offerd_client_test_…")
//     // Before the paywall; `best` is the offer to show.
//     let answers = try await client.answers(for: product, accountToken: user.id, placement: "paywall", earlier: kept)
//     if let best = answers.decisions.first(where: { $0.offerId == answers.best }),
//         let terms = await OfferClient.terms(of: best, for: product) {
//         // "3 months at $4.99, then $9.99": `terms.length`, `terms.price`, `terms.regularPrice`
//     }
//     // When the customer buys:
//     let options = try await client.options(for: product, offerId: "comeback50", accountToken: user.id)
//     if case .success(let purchase) = try await product.purchase(options: options) {
//         try await client.report(purchase)
//         try await purchase.payloadValue.finish()
//     }
//
// The token that `offerd dev --storekit` prints is for development. In an app that you release, `url` is your own backend,
// which holds the API key and passes requests on; `token` is then whatever your backend knows the customer by. Without
// a backend, `url` is offerd's and `token` a publishable key (role `app`): set `isPublishable`, and `customerToken` if
// your users log in with a provider that offerd knows:
//
//     client.customerToken = { try await Auth.auth().currentUser?.getIDToken() }

import Foundation

struct OfferClient: Sendable {
    var url: URL
    var token: String
    /// Whether the token is a publishable key. Then StoreKit's signed data alone says who the customer is.
    var isPublishable = false
    /// With a publishable key: gives the login provider's ID token of the user, for limits per account.
    var customerToken: (@Sendable () async throws -> String?)?
    /// How long one attempt waits for data, in seconds.
    var timeout: Double = 10

    /// A request that carries what StoreKit has signed.
    protocol Signed: Sendable {
        var signedTransactions: [String] { get set }
        var signedRenewalInfo: [String] { get set }
        var signedAppTransaction: String? { get set }
    }

    /// What the app says about itself, unverified.
    struct Facts: Encodable, Sendable {
        /// The language of answers that may be shown, such as `de_DE`.
        var locale: String?
        /// Where in the app the offer is requested.
        var placement: String?
    }

    /// The body of `POST /v1/decisions`.
    struct Inquiry: Encodable, Signed {
        var productId: String
        /// `nil` for every offer.
        var offerIds: [String]?
        /// `nil` with a publishable key.
        var customer: Request.Customer?
        var signedTransactions: [String] = []
        var signedRenewalInfo: [String] = []
        var signedAppTransaction: String?
        var request: Facts?
    }

    func inquiry(for product: String, offerIds: [String]?, accountToken: UUID, facts: Facts?) -> Inquiry {
        Inquiry(productId: product, offerIds: offerIds, customer: customer(accountToken), request: facts)
    }

    /// The body of `POST /v1/issued-offers`.
    struct Request: Encodable, Signed {
        struct Customer: Encodable, Sendable {
            /// In lower case, as offerd signs it.
            var appAccountToken: String
        }

        var offerId: String
        var productId: String
        /// `nil` with a publishable key.
        var customer: Customer?
        /// For promotional offers, such as `["v2"]`; `nil` for the offer's own.
        var formats: [String]?
        /// Whether the last signature was used up by a purchase that failed.
        var fresh = false
        var signedTransactions: [String] = []
        var signedRenewalInfo: [String] = []
        var signedAppTransaction: String?
        /// Whether these are all transactions of the customer; `nil` with a publishable key, which may not say so.
        var historyComplete: Bool? = true
        var request: Facts?
    }

    func request(for product: String, offerId: String, accountToken: UUID, fresh: Bool) -> Request {
        Request(
            offerId: offerId, productId: product, customer: customer(accountToken), fresh: fresh,
            historyComplete: isPublishable ? nil : true)
    }

    private func customer(_ accountToken: UUID) -> Request.Customer? {
        isPublishable ? nil : Request.Customer(appAccountToken: accountToken.uuidString.lowercased())
    }

    /// The body of `POST /v1/transactions`.
    struct Delivery: Encodable, Sendable {
        var customer: Request.Customer?
        var signedTransactions: [String]
        var signedRenewalInfo: [String]?
        var signedAppTransaction: String?
        var historyComplete: Bool?
    }

    /// The data of an inquiry, which is decided from what offerd has stored.
    func delivery(of inquiry: Inquiry) -> Delivery {
        Delivery(
            customer: inquiry.customer, signedTransactions: inquiry.signedTransactions,
            signedRenewalInfo: inquiry.signedRenewalInfo, signedAppTransaction: inquiry.signedAppTransaction,
            historyComplete: isPublishable ? nil : true)
    }

    /// How many JWS one request takes; long histories go in several.
    static let jwsPerRequest = 20

    /// Moves transactions that do not fit into a request into deliveries to send before it.
    ///
    /// - Parameter request: keeps the first of its transactions.
    static func deliveries(before request: inout some Signed) -> [Delivery] {
        let others = request.signedRenewalInfo.count + (request.signedAppTransaction == nil ? 0 : 1)
        let fitting = max(1, jwsPerRequest - others)
        var earlier = Array(request.signedTransactions.dropFirst(fitting))
        request.signedTransactions.removeLast(earlier.count)
        var deliveries: [Delivery] = []
        while !earlier.isEmpty {
            deliveries.append(Delivery(signedTransactions: Array(earlier.prefix(jwsPerRequest))))
            earlier.removeFirst(min(jwsPerRequest, earlier.count))
        }
        return deliveries
    }

    /// What was issued.
    struct Offer: Decodable, Sendable {
        struct V1: Decodable, Sendable {
            var keyId: String
            var nonce: UUID
            /// In milliseconds.
            var timestamp: Int
            /// DER in Base64.
            var signature: String
            /// Empty if none was signed.
            var appAccountToken: String
        }

        struct SignedText: Decodable, Sendable {
            var jws: String
        }

        struct Signatures: Decodable, Sendable {
            var v1: V1?
            var v2: SignedText?
            var introductoryEligibility: SignedText?
        }

        var offerId: String
        var productId: String
        /// The name in App Store Connect; `nil` for introductory offers.
        var offerIdentifier: String?
        /// `signature`, `introductoryEligibility` or `appStore`.
        var delivery: String
        /// In milliseconds since 1970.
        var expiresAt: Int
        var signatures: Signatures
    }

    /// What a customer may have. The app may keep it to show a paywall when offerd cannot be reached, but no signature.
    struct Answers: Codable, Sendable {
        struct Decision: Codable, Sendable {
            struct Explanation: Codable, Sendable {
                /// May be shown to the customer.
                var customerAnswer: String
            }

            var offerId: String
            /// `eligible`, `ineligible` or `undetermined`.
            var outcome: String
            var explanation: Explanation?
            /// `introductory`, `promotional` or `winBack`.
            var offerType: String?
            /// The name in App Store Connect; `nil` for introductory offers.
            var offerIdentifier: String?
            /// `signature`, `introductoryEligibility` or `appStore`.
            var delivery: String?
            /// The plan to buy, if the product has several.
            var billingPlan: String?

            /// A list of offers of StoreKit's product, and the offer's name in it.
            enum Listing: Equatable {
                case introductoryOffer
                case promotionalOffers(String)
                case winBackOffers(String)
            }

            /// Where StoreKit has the offer. A win-back offer that is signed is a promotional one there.
            var listing: Listing? {
                if offerType == "introductory" { return .introductoryOffer }
                guard let name = offerIdentifier else { return nil }
                return delivery == "appStore" ? .winBackOffers(name) : .promotionalOffers(name)
            }
        }

        var decisions: [Decision]
        /// The offer to show; `nil` if there is none for the customer.
        var best: String?
        var receivedAt: Date?
    }

    /// Reads a response to an inquiry. If offerd could not answer, an earlier answer of the last hour is used.
    static func answers(_ response: Response, earlier: Answers?, now: Date = Date()) throws -> Answers {
        guard response.status == 200 else {
            let age = earlier?.receivedAt.map(now.timeIntervalSince) ?? .infinity
            if response.isTemporary, let earlier, (0...3_600).contains(age) { return earlier }
            throw failure(status: response.status, body: response.body)
        }
        var answers = try JSONDecoder().decode(Answers.self, from: response.body)
        answers.receivedAt = now
        return answers
    }

    /// What a paywall shows of an offer: StoreKit's texts, in the language and currency of the customer's App Store.
    struct Terms: Sendable {
        var isFree: Bool
        /// For each `period` if `isPerPeriod`, otherwise once.
        var price: String
        var isPerPeriod: Bool
        var period: String
        /// How long the offer lasts.
        var length: String
        /// What is charged afterwards, for each `regularPeriod`.
        var regularPrice: String
        var regularPeriod: String
        /// When that is charged first, if the customer buys now and does not cancel.
        var endsAt: Date
        /// The App Store may charge for the next period up to a day before it begins.
        var cancelBy: Date { endsAt.addingTimeInterval(-24 * 3_600) }
    }

    /// The end of some periods, as the App Store counts them.
    static func end(_ count: Int, _ unit: Calendar.Component, after start: Date) -> Date? {
        Calendar(identifier: .gregorian).date(byAdding: unit, value: count, to: start)
    }

    struct Response: Sendable {
        /// 0 if none was received; `body` then says why.
        var status: Int
        var body = Data()
        /// In seconds.
        var retryAfter: Double?

        /// Whether the same request may get another answer soon.
        var isTemporary: Bool { status == 0 || status == 429 || status >= 500 }
    }

    /// The headers of a request. Under one `key`, offerd issues once, however often the same bytes are sent.
    func headers(key: UUID?, customerToken: String?) -> [String: String] {
        var headers = ["Authorization": "Bearer \(token)", "Content-Type": "application/json"]
        headers["Idempotency-Key"] = key?.uuidString
        headers["Customer-Token"] = isPublishable ? customerToken : nil
        return headers
    }

    /// Sends a request until there is an answer that lasts, and not again if the server wants more than five seconds.
    static func repeating(
        attempts: Int,
        pause: (Double) async throws -> Void = { try await Task.sleep(nanoseconds: UInt64($0 * 1_000_000_000)) },
        send: () async throws -> Response
    ) async throws -> Response {
        var response = Response(status: 0)
        for attempt in 1...attempts {
            do {
                response = try await send()
            } catch {
                try Task.checkCancellation()
                response = Response(status: 0, body: Data("no answer: \(error.localizedDescription)".utf8))
            }
            let wait = response.retryAfter ?? Double(attempt) / 2
            guard response.isTemporary, wait <= 5, attempt < attempts else { break }
            try await pause(wait)
        }
        return response
    }

    enum Failure: Error {
        /// The customer cannot have the offer, or offerd lacks information. `answer` may be shown to them. For an
        /// introductory offer, pass `introductoryEligibility` to StoreKit, which might grant the trial otherwise.
        case refused(answer: String, introductoryEligibility: String?)
        /// Another failure, with its hint for developers; status 0 if there was no answer.
        case failed(status: Int, detail: String)
        /// The response does not fit the request.
        case unusable(String)
    }

    private struct Problem: Decodable {
        var detail: String
        var hint: String?
        var customerAnswer: String?
        var introductoryEligibility: Offer.SignedText?
    }

    /// What a response other than 200 and 201 says.
    static func failure(status: Int, body: Data) -> Failure {
        guard let problem = try? JSONDecoder().decode(Problem.self, from: body) else {
            return .failed(status: status, detail: String(decoding: body.prefix(200), as: UTF8.self))
        }
        if let answer = problem.customerAnswer {
            return .refused(answer: answer, introductoryEligibility: problem.introductoryEligibility?.jws)
        }
        let hint = problem.hint.map { " (\($0))" } ?? ""
        return .failed(status: status, detail: problem.detail + hint)
    }

    /// Reads a response and checks that it is what was requested.
    static func offer(status: Int, body: Data, for request: Request, now: Date = Date()) throws -> Offer {
        guard status == 200 || status == 201 else { throw failure(status: status, body: body) }
        let offer = try JSONDecoder().decode(Offer.self, from: body)
        guard offer.offerId == request.offerId, offer.productId == request.productId else {
            throw Failure.unusable("it is for `\(offer.offerId)` of `\(offer.productId)`")
        }
        guard Double(offer.expiresAt) / 1_000 > now.timeIntervalSince1970 else {
            throw Failure.unusable("it has expired: check the clocks of device and server")
        }
        if let v1 = offer.signatures.v1, !v1.appAccountToken.isEmpty {
            guard v1.appAccountToken == request.customer?.appAccountToken else {
                throw Failure.unusable("it is signed for another account")
            }
        }
        return offer
    }
}

#if canImport(StoreKit)
    import StoreKit

    extension OfferClient {
        /// The options to purchase a product with an offer.
        ///
        /// - Parameter fresh: whether to sign again, because a purchase with the last options failed.
        func options(
            for product: Product, offerId: String, accountToken: UUID, fresh: Bool = false, placement: String? = nil
        ) async throws -> Set<Product.PurchaseOption> {
            var request = request(for: product.id, offerId: offerId, accountToken: accountToken, fresh: fresh)
            request.request = Facts(locale: Locale.current.identifier, placement: placement)
            try await add(product, to: &request)
            try await deliver(Self.deliveries(before: &request))
            let response = try await send(request, to: "v1/issued-offers", key: UUID())
            return try options(
                try Self.offer(status: response.status, body: response.body, for: request), product, accountToken)
        }

        /// What the customer may have, for a paywall. Nothing is issued, and nothing sent twice: a customer waits.
        ///
        /// - Parameter offerIds: the offers to ask about; `nil` for every one.
        /// - Parameter earlier: the last answer for this account, for when there is no other.
        func answers(
            for product: Product, offerIds: [String]? = nil, accountToken: UUID, placement: String? = nil,
            earlier: Answers? = nil
        ) async throws -> Answers {
            let facts = Facts(locale: Locale.current.identifier, placement: placement)
            var inquiry = inquiry(for: product.id, offerIds: offerIds, accountToken: accountToken, facts: facts)
            try await add(product, to: &inquiry)
            for delivery in Self.deliveries(before: &inquiry) + [delivery(of: inquiry)] {
                let response = try await send(delivery, to: "v1/transactions", attempts: 1)
                // Throws, or gives the earlier answer.
                guard response.status == 200 else { return try Self.answers(response, earlier: earlier) }
            }
            return try Self.answers(try await send(inquiry, to: "v1/decisions", attempts: 1), earlier: earlier)
        }

        /// What to show of an offer; `nil` if StoreKit does not have it for the product, so that it cannot be bought.
        ///
        /// It has the terms for the plan that is billed up front only.
        static func terms(of decision: Answers.Decision, for product: Product, now: Date = Date()) async -> Terms? {
            guard let subscription = product.subscription, decision.billingPlan != "monthly",
                let offer = Self.offer(decision, of: subscription)
            else { return nil }
            // A subscriber gets the offer with the next renewal, unless they change the product.
            var start = now
            for status in (try? await subscription.status) ?? []
            where [.subscribed, .inGracePeriod].contains(status.state) {
                let transaction = status.transaction.unsafePayloadValue
                if transaction.productID == product.id { start = max(start, transaction.expirationDate ?? start) }
            }
            let unit: Calendar.Component
            switch offer.period.unit {
            case .day: unit = .day
            case .week: unit = .weekOfYear
            case .month: unit = .month
            case .year: unit = .year
            @unknown default: return nil
            }
            guard let end = Self.end(offer.period.value * offer.periodCount, unit, after: start) else { return nil }
            let style = product.subscriptionPeriodFormatStyle
            return Terms(
                isFree: offer.paymentMode == .freeTrial, price: offer.displayPrice,
                isPerPeriod: offer.paymentMode == .payAsYouGo, period: offer.period.formatted(style),
                length: (start..<end).formatted(style), regularPrice: product.displayPrice,
                regularPeriod: subscription.subscriptionPeriod.formatted(style), endsAt: end)
        }

        private static func offer(
            _ decision: Answers.Decision, of subscription: Product.SubscriptionInfo
        ) -> Product.SubscriptionOffer? {
            switch decision.listing {
            case .introductoryOffer: return subscription.introductoryOffer
            case .promotionalOffers(let name): return subscription.promotionalOffers.first { $0.id == name }
            case .winBackOffers(let name):
                guard #available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *) else { return nil }
                return subscription.winBackOffers.first { $0.id == name }
            case nil: return nil
            }
        }

        /// Tells the server of a purchase: the result of `purchase(options:)`, and each of `Transaction.updates`.
        ///
        /// Call it before `finish()`: StoreKit brings an unfinished transaction again, and with it a report that failed.
        func report(_ purchase: VerificationResult<Transaction>) async throws {
            try await deliver([Delivery(signedTransactions: [purchase.jwsRepresentation])])
        }

        private func add(_ product: Product, to request: inout some Signed) async throws {
            for await transaction in Transaction.all {
                request.signedTransactions.append(transaction.jwsRepresentation)
            }
            for status in try await product.subscription?.status ?? [] {
                request.signedRenewalInfo.append(status.renewalInfo.jwsRepresentation)
            }
            // Older versions of Xcode sign one without an `appTransactionID`, which identifies no customer.
            if let app = try? await AppTransaction.shared, !app.unsafePayloadValue.appTransactionID.isEmpty {
                request.signedAppTransaction = app.jwsRepresentation
            }
        }

        private func deliver(_ deliveries: [Delivery]) async throws {
            for delivery in deliveries {
                let response = try await send(delivery, to: "v1/transactions")
                guard response.status == 200 else {
                    throw Self.failure(status: response.status, body: response.body)
                }
            }
        }

        private func send(
            _ body: some Encodable, to path: String, key: UUID? = nil, attempts: Int = 3
        ) async throws -> Response {
            var request = URLRequest(url: url.appending(path: path), timeoutInterval: timeout)
            request.httpMethod = "POST"
            // Without the token only limits per account cannot be decided.
            request.allHTTPHeaderFields = headers(key: key, customerToken: try? await customerToken?())
            request.httpBody = try JSONEncoder().encode(body)
            let repeated = request
            return try await Self.repeating(attempts: attempts) {
                let (data, response) = try await URLSession.shared.data(for: repeated)
                let http = response as? HTTPURLResponse
                let wait = http?.value(forHTTPHeaderField: "Retry-After").flatMap(Double.init)
                return Response(status: http?.statusCode ?? 0, body: data, retryAfter: wait)
            }
        }

        private func options(
            _ offer: Offer, _ product: Product, _ accountToken: UUID
        ) throws -> Set<Product.PurchaseOption> {
            if let eligibility = offer.signatures.introductoryEligibility {
                return [.introductoryOfferEligibility(compactJWS: eligibility.jws), .appAccountToken(accountToken)]
            }
            guard let name = offer.offerIdentifier else { throw Failure.unusable("it names no offer") }
            if let v2 = offer.signatures.v2 {
                // Several options: StoreKit needs all of them.
                return Set(Product.PurchaseOption.promotionalOffer(name, compactJWS: v2.jws))
                    .union([.appAccountToken(accountToken)])
            }
            if let v1 = offer.signatures.v1 {
                guard let signature = Data(base64Encoded: v1.signature) else {
                    throw Failure.unusable("its signature is not Base64")
                }
                let option = Product.PurchaseOption.promotionalOffer(
                    offerID: name, keyID: v1.keyId, nonce: v1.nonce, signature: signature, timestamp: v1.timestamp)
                // The account token is signed: the purchase needs the same one, or none.
                return v1.appAccountToken.isEmpty ? [option] : [option, .appAccountToken(accountToken)]
            }
            guard #available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *),
                let winBack = product.subscription?.winBackOffers.first(where: { $0.id == name })
            else { throw Failure.unusable("the product has no win-back offer `\(name)` here") }
            return [.winBackOffer(winBack), .appAccountToken(accountToken)]
        }
    }
#endif
