package import OfferAPI
import OfferEligibility
import OfferModel
import OfferStore

/// What backends ask of their customers, many at a time: access, until when, and what changes next.
public struct StatusLookup: Sendable {
    let database: any StoreDatabase
    let ingestion: HistoryIngestion
    let clock: RequestClock
    let rates: RequestRates

    /// The most customers that are read on the caller's thread.
    static let readAtOnce = 16

    /// The status of the customers that a request names, or of the one whom its signed data proves. With signed data
    /// it can name nobody else, whatever the role.
    ///
    /// - Throws: `unprovenCustomer`, `signedDataRefused`, and as below.
    package func statuses(
        of named: [CustomerIdentifiers], proven delivery: SignedDelivery, caller: Caller
    ) async throws -> [CustomerStatus] {
        guard caller.role == .app || delivery.count > 0 else { return try await statuses(of: named, caller: caller) }
        let proven = try ProvenCustomer(try await ingestion.verifyWhole(delivery, caller: caller))
        for customer in named { _ = try proven.identifiers(named: customer, account: caller.account) }
        let statuses = try await statuses(
            of: Array(repeating: proven.found, count: max(1, named.count)), caller: caller)
        return caller.role == .app ? statuses.map(proven.shown) : statuses
    }

    /// The status of each of these customers, in their order, as of one instant.
    ///
    /// - Throws: `ambiguousCustomer`, naming the place in the request.
    package func statuses(of named: [CustomerIdentifiers], caller: Caller) async throws -> [CustomerStatus] {
        try rates.take(named, by: caller)
        let found: [Found]
        if named.count <= Self.readAtOnce {
            found = [try await database.readInline { try statuses(of: named[...], caller, $0) }]
        } else {
            let now = try await database.readInline {
                clock.instantOfLooking(after: try present(caller, $0).marks.lastInstant)
            }
            // Two cores share a batch. What is stored between the two reads is of one customer, so no status is half old.
            let middle = named.count / 2
            async let second = database.read { try statuses(of: named[middle...], at: now, caller, $0) }
            found = try await [database.read { try statuses(of: named[..<middle], at: now, caller, $0) }, second]
        }
        try rates.take(found.flatMap(\.customers), by: caller)
        return found.flatMap(\.statuses)
    }

    private typealias Found = (customers: [CustomerNumber], statuses: [CustomerStatus])

    /// The status of a part of the customers that a request names, and who they are.
    ///
    /// - Parameter now: the present if it is `nil`.
    private func statuses(
        of named: ArraySlice<CustomerIdentifiers>, at now: Instant? = nil, _ caller: Caller,
        _ transaction: any StoreTransaction
    ) throws -> Found {
        let state = try present(caller, transaction)
        let now = now ?? clock.instantOfLooking(after: state.marks.lastInstant)
        let subjects = try Self.subjects(named, in: state.scope?.number, transaction)
        let histories = try HistoryStore(transaction).histories(of: subjects)
        let statuses = zip(named, zip(subjects, histories)).map { customer, found in
            found.0.isEmpty
                ? CustomerStatus(customer: customer, known: false, coverage: CoverageBody(Coverage.none), asOf: now)
                : CustomerStatus(of: customer, found.1, at: now, in: caller.scope.environment)
        }
        return (subjects.flatMap(\.self), statuses)
    }

    private func present(_ caller: Caller, _ transaction: any StoreTransaction) throws -> PresentState {
        try ScopeStore(transaction).presentState(around: caller.scope)
    }

    private static func subjects(
        _ named: ArraySlice<CustomerIdentifiers>, in scope: ScopeNumber?, _ transaction: any StoreTransaction
    ) throws -> [[CustomerNumber]] {
        guard let scope else { return named.map { _ in [] } }
        // Most are named by one identifier of Apple's, which cannot mix up two customers: these are read together.
        let alone = named.map { $0.proven.count == 1 && $0.aliases.isEmpty ? $0.proven.first : nil }
        let owners = try CustomerStore(transaction).owners(of: alone.compactMap(\.self), in: scope)
        return try zip(named.indices, alone).map { place, identifier in
            guard let identifier else { return try customers(named[place], at: place, in: scope, transaction) }
            return owners[identifier].map { [$0] } ?? []
        }
    }

    private static func customers(
        _ identifiers: CustomerIdentifiers, at place: Int, in scope: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> [CustomerNumber] {
        do {
            let subject = try NamedCustomers.resolve(identifiers, signed: [], in: scope, transaction)
            // A single alias cannot mix up two customers either.
            if identifiers.proven.count + identifiers.aliases.count > 1 {
                try subject.requireOwn(identifiers.aliases, in: scope, transaction)
            }
            return subject.customers
        } catch RequestError.ambiguousCustomer(let detail) {
            throw RequestError.ambiguousCustomer(detail: "`/customers/\(place)`: \(detail)")
        } catch RequestError.foreignAlias(let kind) {
            throw RequestError.ambiguousCustomer(
                detail: "`/customers/\(place)`: signed data names this `\(kind)` for another customer")
        }
    }
}

extension CustomerStatus {
    /// What a customer has at an instant, by the states that decisions use.
    init(
        of customer: CustomerIdentifiers, _ history: History, at now: Instant, in environment: AppStoreEnvironment
    ) {
        let view = CustomerView(history, at: now, policy: .standard.scaled(for: environment))
        self.init(
            customer: customer, known: true,
            coverage: CoverageBody(
                level: (view.hasUngrouped ? min(history.coverage.level, .partial) : history.coverage.level).rawValue,
                asOf: history.coverage.asOf, provenance: nil),
            groups: view.groups.map { GroupStatus($0, at: now) },
            products: view.products.compactMap(ProductStatus.init), asOf: now)
    }
}

extension GroupStatus {
    init(_ group: GroupView, at now: Instant) {
        let state = group.state(at: now)
        let trial = group.newestTrial
        self.init(shown: state)
        nextChange = group.nextChange(after: state) { GroupStatus(shown: $0) }
            .map { TurningPointBody(at: $0.at, event: $0.change.rawValue) }
        daysLeft = state.daysLeft
        (trialStartedAt, trialEndsAt) = (trial?.startedAt, trial?.endsAt)
    }

    /// What a state says, without what counts down.
    private init(shown state: SubscriptionState) {
        self.init(
            of: state.subscriptionGroupIdentifier, state: state.name?.rawValue ?? "undetermined",
            hasAccess: state.hasAccess == true)
        isTrial = state.name.map { $0 == .introductoryOffer }
        isFreeTrial = state.isInFreeTrial
        // It may not be the subscription that governs the group.
        guard state.resolution != .undetermined(.groupMismatch), let transaction = state.transaction else { return }
        productId = transaction.productId
        originalTransactionId = transaction.originalTransactionId
        startedAt = state.startedAt
        purchasedAt = transaction.purchaseDate
        expiresAt = transaction.expiresDate
        gracePeriodExpiresAt = state.graceEnds
        willAutoRenew = state.willAutoRenew
        pendingProductId = state.pendingProductId
        renewalPrice = state.renewalPrice.map(Price.init)
        cancelBy = state.lastMomentToCancel
    }
}

extension ProductStatus {
    /// `nil` for a type that Apple added later.
    fileprivate init?(_ product: PurchasedProduct) {
        guard let type = OtherProductType(product.type) else { return nil }
        self.init(
            productId: product.productId, type: type, owned: product.isOwned, purchasedAt: product.purchasedAt,
            revokedAt: product.revokedAt)
    }
}

extension StoredCustomer {
    /// Identifiers that name this customer alone: Apple's if there are any.
    var identifiers: CustomerIdentifiers {
        let proven = CustomerIdentifiers(
            originalTransactionId: originalTransactionIds.first, appTransactionId: appTransactionIds.first)
        guard proven.isEmpty else { return proven }
        return CustomerIdentifiers(appAccountToken: appAccountTokens.first, customerId: customerIds.first)
    }
}
