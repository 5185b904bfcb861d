// Requests an offer from offerd and turns the response into StoreKit's purchase options. Copy the file into your app.
//
//     let client = OfferClient(url: URL(string: "http://127.0.0.1:8080")!, token: "offerd_…")
//     let options = try await client.options(for: product, offerId: "comeback50", accountToken: user.id)
//     let result = try await product.purchase(options: options)
//
// The token that `offerd dev --storekit` prints is for development. In an app that you release, `url` is your own backend,
// which holds the API key and passes the request on; `token` is then whatever your backend knows the customer by. Without
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

    /// The body of `POST /v1/issued-offers`.
    struct Request: Encodable, Sendable {
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
    }

    func request(for product: String, offerId: String, accountToken: UUID, fresh: Bool) -> Request {
        let account = Request.Customer(appAccountToken: accountToken.uuidString.lowercased())
        return Request(
            offerId: offerId, productId: product, customer: isPublishable ? nil : account, fresh: fresh,
            historyComplete: isPublishable ? nil : true)
    }

    /// The body of `POST /v1/transactions`.
    struct Delivery: Encodable, Sendable {
        var signedTransactions: [String]
    }

    /// How many JWS one request takes; long histories go in several.
    static let jwsPerRequest = 20

    /// Moves transactions that do not fit into a request into deliveries to send before it.
    ///
    /// - Parameter request: keeps the first of its transactions.
    static func deliveries(before request: inout Request) -> [Delivery] {
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

    enum Failure: Error {
        /// The customer cannot have the offer, or offerd lacks information. `answer` may be shown to them. For an
        /// introductory offer, pass `introductoryEligibility` to StoreKit, which might grant the trial otherwise.
        case refused(answer: String, introductoryEligibility: String?)
        /// Another failure, with its hint for developers.
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
            for product: Product, offerId: String, accountToken: UUID, fresh: Bool = false
        ) async throws -> Set<Product.PurchaseOption> {
            var request = request(for: product.id, offerId: offerId, accountToken: accountToken, fresh: fresh)
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
            for delivery in Self.deliveries(before: &request) {
                let (status, body) = try await send(delivery, to: "v1/transactions")
                guard status == 200 else { throw Self.failure(status: status, body: body) }
            }
            let (status, body) = try await send(request, to: "v1/issued-offers")
            return try options(try Self.offer(status: status, body: body, for: request), product, accountToken)
        }

        private func send(_ body: some Encodable, to path: String) async throws -> (status: Int, body: Data) {
            var request = URLRequest(url: url.appending(path: path))
            request.httpMethod = "POST"
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            // Without it only limits per account cannot be decided.
            if isPublishable, let customerToken = try? await customerToken?() {
                request.setValue(customerToken, forHTTPHeaderField: "Customer-Token")
            }
            request.httpBody = try JSONEncoder().encode(body)
            let (data, response) = try await URLSession.shared.data(for: request)
            return ((response as? HTTPURLResponse)?.statusCode ?? 0, data)
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
