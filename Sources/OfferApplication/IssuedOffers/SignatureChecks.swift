import OfferAPI
import OfferDocuments
package import OfferModel
import OfferSigning
import OfferStore

/// Finds why StoreKit refuses a signature: `POST /v1/signature-checks`. It writes nothing.
public struct SignatureChecks: Sendable {
    let registry: AppRegistry
    let database: any StoreDatabase
    let catalogs: CompiledCatalogs
    let decisions: OfferDecisions
    let clock: RequestClock
    let work: LongWork

    private struct Known: Sendable {
        var catalog: Catalog?
        var record = SignatureJudge.NonceRecord.notLookedUp
        /// The customer that the recorded signature was made for.
        var transactionId: String?
        var now: Instant
    }

    /// Judges what an app passed, with the keys, the catalog and the ledger of the caller's app and environment.
    ///
    /// - Throws: `invalidRequest` if the signature or the JWS cannot be read; `busy` if too many checks are waiting.
    package func check(_ passed: PassedSignature, caller: Caller) async throws -> SignatureDiagnosis {
        let app = try registry.app(for: caller.scope)
        let contents = SignatureJudge.Contents(of: passed)
        let known = try await database.read { transaction in
            try self.known(contents, bundleId: app.bundleId, caller: caller, transaction)
        }
        let others = registry.all.filter { $0.bundleId != app.bundleId }
        let judge = SignatureJudge(
            bundleId: app.bundleId, issuerId: app.issuerId, keys: keys(of: app, others, in: caller.scope),
            otherBundles: others.map(\.bundleId), catalog: known.catalog, record: known.record,
            ineligibility: try await ineligibility(passed, contents, known, caller: caller), now: known.now)
        return try await work.run {
            do throws(MalformedArtefact) {
                return try judge.diagnose(passed)
            } catch {
                throw RequestError.invalidRequest(
                    pointer: "/\(error.member.rawValue)", detail: error.detail, hint: error.hint)
            }
        }
    }

    private func known(
        _ contents: SignatureJudge.Contents, bundleId: BundleId, caller: Caller, _ transaction: any StoreTransaction
    ) throws -> Known {
        var known = Known(now: try clock.tolerantInstant(transaction))
        if contents.nonce != nil { known.record = .unknown }
        guard let number = try ScopeStore(transaction).number(of: caller.scope) else { return known }
        do {
            let revision = try CatalogStore(transaction).currentNumber(in: number)
            known.catalog = try catalogs.catalog(revision, of: number, in: caller.scope, transaction).catalog
        } catch is InvalidDocument {
            // A catalog that this version cannot read only means fewer candidates.
        }
        guard let nonce = contents.nonce,
            let signed = try IssuedOfferStore(transaction).signature(nonce: nonce, in: number)
        else { return known }
        known.transactionId = signed.transactionId
        let issued = try signed.issuedOfferId.flatMap { try IssuedOfferStore(transaction).issuedOffer($0, in: number) }
        let view = try issued.flatMap {
            try ShownIssuedOffers([$0], in: number, transaction).offers(for: caller, at: known.now).first
        }
        known.record = .issued(
            signed: view?.offerIdentifier.map { identifier in
                PromotionalOfferV1(
                    bundleId: bundleId, productId: signed.productId, offerIdentifier: identifier,
                    appAccountToken: signed.appAccountToken, nonce: nonce, timestamp: signed.signedAt)
            }, isRedeemed: view?.state == .redeemed)
        return known
    }

    /// The app's own keys first, in use or retired, then those of the other apps.
    private func keys(
        of app: RegisteredApp, _ others: [RegisteredApp], in scope: Scope
    ) -> [SignatureJudge.KnownKey] {
        let own = Set(Self.listed(app).map(\.key.keyId))
        return ([app] + others).flatMap { owner -> [SignatureJudge.KnownKey] in
            // A key works for every app of its account.
            let isOfAccount = owner.issuerId == app.issuerId
            var known: [KeyId: (key: any SigningKey, isAccepted: Bool)] = [:]
            for (environment, key) in Self.listed(owner) {
                let isOwn = owner.bundleId == app.bundleId || !own.contains(key.keyId)
                let isAccepted =
                    isOwn && isOfAccount && environment.isForTests == scope.environment.isForTests
                if known[key.keyId]?.isAccepted != true { known[key.keyId] = (key, isAccepted) }
            }
            return known.sorted { $0.key < $1.key }
                .map { SignatureJudge.KnownKey($0.value.key, isAccepted: $0.value.isAccepted) }
        }
    }

    private static func listed(_ app: RegisteredApp) -> [(environment: AppStoreEnvironment, key: any SigningKey)] {
        app.signingKeys.map { ($0.key, $0.value) }
            + app.retiredKeys.flatMap { entry in entry.value.map { (entry.key, $0) } }
    }

    /// Why Apple's own rules refuse the offer to the customer, if the signature names both.
    private func ineligibility(
        _ passed: PassedSignature, _ contents: SignatureJudge.Contents, _ known: Known, caller: Caller
    ) async throws -> String? {
        let offer = known.catalog?.offers.first { offer in
            guard let product = contents.productId, offer.products.contains(product) else { return false }
            return passed.format == .introductoryEligibility
                ? offer.type == .introductory : offer.offerIdentifier == contents.offerIdentifier
        }
        guard let offer else { return nil }
        var customers = [CustomerIdentifiers]()
        for id in [contents.transactionId, known.transactionId].compactMap(\.self) {
            customers.append(CustomerIdentifiers(originalTransactionId: TransactionId(id)))
            customers.append(CustomerIdentifiers(appTransactionId: AppTransactionId(id)))
        }
        if let token = passed.appAccountToken.flatMap({ AppAccountToken($0) }) {
            customers.append(CustomerIdentifiers(appAccountToken: token))
        }
        for customer in customers {
            do {
                let answer = try await decisions.decide(
                    Inquiry { ($0.customer, $0.offerIds, $0.productId) = (customer, [offer.id], contents.productId) },
                    caller: caller)
                guard answer.isKnown == true else { continue }
                return answer.decisions.first?.decision.findings
                    .first { $0.verdict == .violated && $0.rule.rawValue.hasPrefix("platform.") }?.message
            } catch is RequestError {
                // A customer who cannot be judged says nothing about the signature.
                continue
            }
        }
        return nil
    }
}
