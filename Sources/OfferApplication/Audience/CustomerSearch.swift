public import OfferAPI
import OfferDocuments
import OfferModel
import OfferStore

/// The customers who meet a condition, in pages.
public struct CustomerSearch: Sendable {
    let database: any StoreDatabase
    let catalogs: CompiledCatalogs
    let policy: Policy
    let clock: RequestClock
    let work: LongWork

    /// How many customers a page looks at: a second or two of work. It then ends early, and the next goes on.
    static let mostLookedAt = 200 * CustomerPages.size

    /// A page of them; for a `marketing` key their number alone.
    ///
    /// - Throws: `noCatalog`, `invalidRequest`, `busy`.
    public func page(_ request: CustomerSearchRequest, caller: Caller) async throws -> CustomerSearchPage {
        let first = try request.cursor.map(Self.customer)
        let privacy = AudiencePrivacy(caller.role)
        return try await work.read(database) { transaction in
            let search = try OpenSearch(
                request.where, scope: caller.scope, catalogs: catalogs, policy: policy, clock: clock, transaction)
            let found = try search.customers(after: first, limit: privacy.isLimited ? .max : request.limit)
            return try CustomerSearchPage { page in
                page.nextCursor = found.last.map { "\($0.rawValue)" }
                if privacy.isLimited {
                    page.matching = privacy.count(found.customers.count)
                } else {
                    page.customers = try privacy.samples(found.customers.map(\.rawValue), transaction)
                    page.undetermined = found.undetermined
                }
            }
        }
    }

    private static func customer(_ cursor: String) throws(RequestError) -> CustomerNumber {
        guard let number = Int64(cursor), number > 0 else {
            throw .invalidRequest(
                pointer: "/cursor", detail: "`\(cursor.prefix(100))` is not a cursor",
                hint: "pass `nextCursor` of the page before")
        }
        return CustomerNumber(rawValue: number)
    }
}

/// A condition in one snapshot.
private struct OpenSearch {
    private let base: Snapshot
    private let pages: CustomerPages
    /// A question of each subscription group: `subscription.…` facts are about one of them.
    private let questions: [Question]
    private let policy: Policy

    struct Found {
        var customers: [CustomerNumber] = []
        var undetermined = 0
        /// The last customer who was looked at; `nil` if that was the last of all.
        var last: CustomerNumber?
    }

    init(
        _ text: String, scope: Scope, catalogs: CompiledCatalogs, policy: Policy, clock: RequestClock,
        _ transaction: any StoreTransaction
    ) throws {
        base = try Snapshot.read(
            CustomerIdentifiers(), signed: [], scope: scope, clock: clock, catalogs: catalogs, openIssuedOffersOf: [],
            transaction)
        guard let number = base.number, !base.catalog.subscriptionGroups.isEmpty else {
            throw RequestError.noCatalog(scope)
        }
        let condition = try ConditionText.condition(text, in: base.catalog)
        questions = base.catalog.subscriptionGroups.compactMap { [base] group in
            group.products.first.map {
                base.question(CompiledOffer(Offer(probing: condition)), productId: $0.productId)
            }
        }
        pages = CustomerPages(transaction, scope: number)
        self.policy = policy
    }

    func customers(after first: CustomerNumber?, limit: Int) throws -> Found {
        var (found, last, lookedAt) = (Found(), first, 0)
        while lookedAt < CustomerSearch.mostLookedAt {
            let page = try pages.page(after: last)
            for (member, facts) in zip(page, try pages.facts(of: page)) {
                last = member.customer
                switch verdict(PreparedSubject(facts, policy: policy)) {
                case .satisfied, .notApplicable, .lifted: found.customers.append(member.customer)
                case .undetermined: found.undetermined += 1
                case .violated: break
                }
                if found.customers.count == limit {
                    found.last = last
                    return found
                }
            }
            guard page.count == CustomerPages.size else { return found }
            lookedAt += page.count
        }
        found.last = last
        return found
    }

    /// Whether it holds for one of the groups; not known where it might.
    private func verdict(_ subject: PreparedSubject) -> Verdict {
        var verdict = Verdict.violated
        for question in questions {
            switch subject.conditionVerdict(question) {
            case .satisfied, .notApplicable, .lifted: return .satisfied
            case .undetermined: verdict = .undetermined
            case .violated: break
            }
        }
        return verdict
    }
}
