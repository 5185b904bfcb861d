package import OfferAPI
import OfferModel
import OfferStore

/// Customers' status for backends, many at a time: access, until when, and what changes next.
public struct StatusLookup: Sendable {
    let database: any StoreDatabase
    let ingestion: HistoryIngestion
    let clock: RequestClock
    let rates: RequestRates

    /// The most customers that are read on the caller's thread.
    static let readAtOnce = 16

    /// The status of the customers that a request names, or of the one that its signed data proves. With signed data
    /// it can name no other customer, whatever the role.
    ///
    /// - Throws: `unprovenCustomer`, `signedDataRefused`, and as below.
    package func statuses(
        of named: [CustomerIdentifiers], proven delivery: SignedDelivery, caller: Caller
    ) async throws -> StatusBody {
        guard caller.role == .app || delivery.count > 0 else {
            return StatusBody(try await statuses(of: named, caller: caller))
        }
        var verified = try await ingestion.verifyWhole(delivery, caller: caller)
        // A backend may name customers without signed data too.
        if caller.role != .app, verified.payloads.isEmpty, !named.isEmpty {
            return StatusBody(try await statuses(of: named, caller: caller), ignored: verified.ignored)
        }
        let proven = try ProvenCustomer(verified)
        verified.ignoreRenewalInfo { !proven.owns($0) }
        for customer in named { _ = try proven.identifiers(named: customer, account: caller.account) }
        let statuses = try await statuses(
            of: Array(repeating: proven.found, count: max(1, named.count)), caller: caller)
        return StatusBody(caller.role == .app ? statuses.map(proven.shown) : statuses, ignored: verified.ignored)
    }

    /// The status of each of these customers, in their order, as of one instant. An item whose identifiers are ambiguous
    /// has an error; the others have their status.
    package func statuses(of named: [CustomerIdentifiers], caller: Caller) async throws -> [CustomerStatus] {
        try rates.take(named, by: caller)
        let found: [Found]
        if named.count <= Self.readAtOnce {
            found = [try await database.readInline { try statuses(of: named[...], caller, $0) }]
        } else {
            let now = try await database.readInline {
                clock.tolerantInstant(after: try present(caller, $0).marks.lastInstant)
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
        let now = now ?? clock.tolerantInstant(after: state.marks.lastInstant)
        let subjects = try Self.subjects(named, in: state.scope?.number, transaction)
        let parts = subjects.flatMap(\.parts)
        var histories = try HistoryStore(transaction).histories(of: parts)[...]
        let statuses = zip(named, subjects).map { customer, subject in
            let found = histories.prefix(subject.parts.count)
            histories = histories.dropFirst(subject.parts.count)
            let statuses = found.map { CustomerStatus(of: customer, $0, at: now, in: caller.scope.environment) }
            guard var status = CustomerStatus(ofAny: statuses) else {
                return CustomerStatus { status in
                    (status.customer, status.known, status.asOf) = (customer, subject.ambiguity != nil, now)
                    status.error = subject.ambiguity.map { detail in
                        StatusError { ($0.code, $0.detail) = (.ambiguousCustomer, detail) }
                    }
                }
            }
            if statuses.count > 1 { status.appleAccounts = statuses.count }
            return status
        }
        return (parts.flatMap(\.self), statuses)
    }

    /// The customers that one item names.
    private struct Subject {
        /// Customers who are one person, whose histories are read together. Several where Apple Accounts share the alias
        /// that the item has, without being merged; none for an unknown customer.
        var parts: [[CustomerNumber]] = []
        /// Why the item is ambiguous.
        var ambiguity: String?
    }

    private func present(_ caller: Caller, _ transaction: any StoreTransaction) throws -> PresentState {
        try ScopeStore(transaction).presentState(around: caller.scope)
    }

    private static func subjects(
        _ named: ArraySlice<CustomerIdentifiers>, in scope: ScopeNumber?, _ transaction: any StoreTransaction
    ) throws -> [Subject] {
        guard let scope else { return named.map { _ in Subject() } }
        // Most are named by one identifier of Apple's, which cannot mix up two customers: these are read together.
        let alone = named.map { $0.proven.count == 1 && $0.aliases.isEmpty ? $0.proven.first : nil }
        let owners = try CustomerStore(transaction).owners(of: alone.compactMap(\.self), in: scope)
        return try zip(named, alone).map { identifiers, identifier in
            guard let identifier else { return try subject(identifiers, in: scope, transaction) }
            return Subject(parts: owners[identifier].map { [[$0]] } ?? [])
        }
    }

    private static func subject(
        _ identifiers: CustomerIdentifiers, in scope: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> Subject {
        do {
            let subject = try NamedCustomers.resolve(identifiers, signed: [], in: scope, transaction)
            // A single alias cannot mix up two customers either.
            if identifiers.proven.count + identifiers.aliases.count > 1 {
                try subject.requireOwn(identifiers.aliases, in: scope, transaction)
            }
            return Subject(parts: subject.customers.isEmpty ? [] : [subject.customers])
        } catch RequestError.ambiguousCustomer(let detail) {
            let carriers = try carriers(of: identifiers, in: scope, transaction)
            return carriers.isEmpty ? Subject(ambiguity: detail) : Subject(parts: carriers.map { [$0] })
        } catch RequestError.foreignAlias(let kind) {
            return Subject(ambiguity: "signed data names this `\(kind)` for another customer")
        }
    }

    /// The customers who carry the aliases of an item that has nothing else: one user of the app may buy with several
    /// Apple Accounts. Two aliases must have one of the customers in common, or the item mixes up two users.
    private static func carriers(
        of identifiers: CustomerIdentifiers, in scope: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> [CustomerNumber] {
        guard identifiers.proven.isEmpty else { return [] }
        let store = CustomerStore(transaction)
        let carriers = try identifiers.aliases.map { Set(try store.customers(aliases: [$0], in: scope)) }
            .filter { !$0.isEmpty }
        let all = carriers.reduce(Set<CustomerNumber>()) { $0.union($1) }
        let common = carriers.reduce(all) { $0.intersection($1) }
        guard !common.isEmpty, all.count <= NamedCustomers.maximumCustomers else { return [] }
        return all.sorted()
    }
}

extension CustomerStatus {
    /// A customer's status at an instant, by the states that decisions use.
    init(
        of customer: CustomerIdentifiers, _ history: History, at now: Instant, in environment: AppStoreEnvironment
    ) {
        let view = CustomerView(history, at: now, policy: .standard.scaled(for: environment))
        self.init()
        (self.customer, known, asOf) = (customer, true, now)
        coverage = Coverage(
            level: view.hasUngrouped ? min(history.coverage.level, .partial) : history.coverage.level,
            asOf: history.coverage.asOf)
        groups = view.groups.map { GroupStatus($0, at: now) }
        products = view.products.compactMap(ProductStatus.init)
        hasAccess = groups.contains(where: \.hasAccess)
    }
}

extension CustomerStatus {
    /// The united status of customers with one alias: of each group and product the status that gives most.
    fileprivate init?(ofAny statuses: [CustomerStatus]) {
        guard var status = statuses.first else { return nil }
        for other in statuses.dropFirst() {
            for group in other.groups {
                let place = status.groups.firstIndex {
                    $0.subscriptionGroupIdentifier == group.subscriptionGroupIdentifier
                }
                guard let place else {
                    status.groups.append(group)
                    continue
                }
                if status.groups[place].accessRank < group.accessRank { status.groups[place] = group }
            }
            for product in other.products {
                guard let place = status.products.firstIndex(where: { $0.productId == product.productId }) else {
                    status.products.append(product)
                    continue
                }
                if product.owned, !status.products[place].owned { status.products[place] = product }
            }
            if other.coverage.level < status.coverage.level { status.coverage = other.coverage }
        }
        status.groups.sort { $0.subscriptionGroupIdentifier < $1.subscriptionGroupIdentifier }
        status.products.sort { $0.productId < $1.productId }
        status.hasAccess = status.groups.contains(where: \.hasAccess)
        self = status
    }
}

extension GroupStatus {
    private static let undetermined = "undetermined"

    /// Access before what may be access, that before none, and the later end first.
    fileprivate var accessRank: (Int, Instant) {
        (
            hasAccess ? 2 : state == Self.undetermined ? 1 : 0,
            max(expiresAt ?? .distantPast, gracePeriodExpiresAt ?? .distantPast)
        )
    }

    init(_ group: GroupView, at now: Instant) {
        let state = group.state(at: now)
        let trial = group.newestTrial
        self.init(shown: state)
        nextChange = group.nextChange(after: state) { GroupStatus(shown: $0) }
            .map { next in TurningPointBody { ($0.at, $0.event) = (next.at, next.change.rawValue) } }
        daysLeft = state.daysLeft
        (trialStartedAt, trialEndsAt) = (trial?.startedAt, trial?.endsAt)
    }

    /// The status of a state, without values that count down.
    private init(shown state: SubscriptionState) {
        self.init()
        subscriptionGroupIdentifier = state.subscriptionGroupIdentifier
        self.state = state.name?.rawValue ?? Self.undetermined
        hasAccess = state.hasAccess == true
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
        renewalInfoSignedAt = state.renewalInfoSigned
        pendingProductId = state.pendingProductId
        renewalPrice = state.renewalPrice.map(Price.init)
        cancelBy = state.lastMomentToCancel
    }
}

extension ProductStatus {
    /// `nil` for a type that Apple added later.
    fileprivate init?(_ product: PurchasedProduct) {
        guard let type = OtherProductType(product.type) else { return nil }
        self.init()
        (productId, self.type, owned) = (product.productId, type.rawValue, product.isOwned)
        (purchasedAt, revokedAt) = (product.purchasedAt, product.revokedAt)
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
