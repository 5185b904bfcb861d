import AppStoreData
import OfferModel
import OfferSigning

/// A what-if whose documents are read, before any database is held for it.
struct ResolvedWhatIf: Sendable {
    /// The catalog to decide by.
    enum Catalog: Sendable {
        /// A document with what it says.
        case document(String, OfferModel.Catalog)
        /// A revision.
        case revision(Int)
    }

    /// A history that takes the place of the stored one.
    struct Supplied: Sendable {
        var payloads: DecodedHistory
        var issuedOffers: [SuppliedOffer]?
        var isComplete: Bool
    }

    let asOf: Instant?
    let history: Supplied?
    let catalog: Catalog?

    /// - Throws: ``RequestError/invalidRequest(pointer:detail:hint:)`` at a payload that cannot be taken,
    ///   ``RequestError/invalidCatalog(_:)``.
    init(_ whatIf: WhatIf, scope: Scope) throws {
        asOf = whatIf.asOf
        history = try whatIf.history.map { try Supplied($0, scope: scope) }
        catalog =
            switch whatIf.catalog {
            case .document(let text): .document(text, try CatalogDocument.catalog(text, for: scope))
            case .revision(let revision): .revision(revision)
            case nil: nil
            }
    }
}

extension ResolvedWhatIf.Supplied {
    fileprivate init(_ supplied: SuppliedHistory, scope: Scope) throws(RequestError) {
        do throws(SuppliedPayloadRefusal) {
            payloads = try SuppliedHistoryReader(scope: scope).read(supplied)
        } catch {
            throw .invalidRequest(
                pointer: "/history/" + error.path.joined(separator: "/"), detail: error.refusal.detail,
                hint: Self.hint(error.refusal))
        }
        issuedOffers = supplied.issuedOffers
        isComplete = supplied.isComplete
    }

    private static func hint(_ refusal: SignedDataRefusal) -> String? {
        switch refusal.code {
        case .wrongBundleId: "use an API key of that app"
        case .wrongEnvironment: "use an API key of that environment, or leave the member out"
        default:
            refusal.member == nil
                ? "`transactions`, `renewalInfos` and `appTransaction` take Apple's payloads decoded: the JSON object in the middle part of each JWS"
                : nil
        }
    }
}
