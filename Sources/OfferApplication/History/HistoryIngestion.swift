import AppStoreData
package import OfferAPI
import OfferModel
import OfferSigning
import OfferStore

/// Takes signed purchase data in: `POST /v1/transactions`, and the first step of issuing.
public struct HistoryIngestion: Sendable {
    let registry: AppRegistry
    let database: Ledger
    let catalogs: CompiledCatalogs
    let clock: RequestClock
    let rates: RequestRates

    /// Verifies every JWS, keeps the verified ones, attaches the aliases to the customers they prove, and reports the
    /// outcome of each.
    ///
    /// - Throws: `signedDataRefused` if every JWS was refused.
    package func ingest(
        _ delivery: SignedDelivery, aliases: CustomerIdentifiers, caller: Caller
    ) async throws -> IngestReport {
        let namesCustomer =
            !aliases.proven.isEmpty || (delivery.historyComplete && !aliases.aliases.isEmpty)
        guard delivery.count > 0 || namesCustomer else {
            throw RequestError.invalidRequest(
                pointer: "/signedTransactions",
                detail: "the request has no signed data and states nothing about a customer",
                hint: caller.role == .app
                    ? "send `signedTransactions` or `signedAppTransaction`"
                    : "send signed data, or `historyComplete: true` with a `customer`")
        }
        try rates.take([aliases], by: caller)
        let received = try await verify(delivery, caller: caller, stopsAtRefusal: caller.role == .app)
        if !received.entries.isEmpty, received.payloads.isEmpty {
            throw RequestError.signedDataRefused(received.refused + received.useless)
        }
        let (verified, aliases) = try caller.customer(named: aliases, in: received)
        var kept = try await keep(verified, identifiers: aliases, caller: caller, namesCustomers: true)
        if let ambiguity = kept.ambiguity { throw ambiguity }
        if caller.role == .app { kept.customers = kept.customers.map(try ProvenCustomer(verified).shown) }
        return IngestReport { report in
            (report.customers, report.ignored) = (kept.customers, verified.ignored)
            report.results = Self.results(verified, kept.outcomes)
        }
    }

    /// The customers whose data was kept, with what they have now.
    private func customers(
        of verified: VerifiedDelivery, _ identifiers: CustomerIdentifiers, in scope: Scope
    ) async throws -> [KnownIdentifiers] {
        let environment = scope.environment
        let read = { @Sendable (transaction: any StoreTransaction) in
            try transaction.expect(
                { _ = try StoreClock($0).marks() },
                { _ = try ScopeStore($0).number(of: scope) },
                { transaction in
                    guard let number = catalogs.lastNumber(of: scope) else { return }
                    _ = try CustomerStore(transaction).customers(proven: verified.proven, in: number)
                })
            let now = try clock.tolerantInstant(transaction)
            guard let scope = try ScopeStore(transaction).number(of: scope) else { return [KnownIdentifiers]() }
            let store = CustomerStore(transaction)
            var numbers = try store.customers(proven: verified.proven, in: scope)
            if numbers.isEmpty, verified.payloads.isEmpty {
                numbers = try store.customers(aliases: identifiers.aliases, in: scope)
            }
            let found = numbers
            try transaction.expect(
                { _ = try CustomerStore($0).customers(found) }, { _ = try HistoryStore($0).history(of: found) })
            let stored = try store.customers(numbers)
            let histories = try HistoryStore(transaction).histories(of: stored.map { [$0.number] })
            return zip(stored, histories).map { customer, history in
                var known = KnownIdentifiers(customer)
                known.status = CustomerStatus(
                    of: customer.identifiers, history, at: now, in: environment)
                return known
            }
        }
        return try await verified.payloads.count <= StatusLookup.readAtOnce
            ? database.readInline(read) : database.read(read)
    }

    /// Checks every JWS of a delivery against the caller's app and environment.
    ///
    /// - Parameter stopsAtRefusal: whether one that is refused refuses the request, so that no more work is done for
    ///   it.
    /// - Throws: `clockBehind` if data seems to come from the future and it is the clock that is wrong.
    func verify(
        _ delivery: SignedDelivery, caller: Caller, stopsAtRefusal: Bool = false
    ) async throws -> VerifiedDelivery {
        let app = try registry.app(for: caller.scope)
        let reader = app.reader(in: caller.scope.environment, app.verifier.forOneRequest())
        let verified = await VerifiedDelivery(
            delivery, reader: reader, now: clock.wallClock(), stopsAtRefusal: stopsAtRefusal)
        try await clock.check(verified.refused, database)
        return verified
    }

    /// Checks the signed data of a request that keeps nothing of it.
    ///
    /// - Throws: `signedDataRefused` at the first JWS that is refused.
    func verifyWhole(_ delivery: SignedDelivery, caller: Caller) async throws -> VerifiedDelivery {
        let verified = try await verify(delivery, caller: caller, stopsAtRefusal: true)
        guard verified.refused.isEmpty else { throw RequestError.signedDataRefused(verified.refused) }
        return verified
    }

    struct Kept: Sendable {
        var outcomes: [IngestOutcome]
        /// Set if the request names customers who cannot be one; the payloads are stored anyway. A request that
        /// states an alias of another customer keeps nothing.
        var ambiguity: RequestError?
        /// The customers that the data or the aliases name, if they are wanted.
        var customers: [KnownIdentifiers] = []
        /// The customers of the data; absent if nothing was read.
        var subject: NamedCustomers?
    }

    /// Keeps what was verified, unless the customers it is of are asked about too fast. Data that is all known already,
    /// with nothing else to note, costs no durable commit.
    ///
    /// - Parameters:
    ///   - isRefused: whether the request will be refused for its signed data: then it binds no alias, because
    ///     that cannot be undone (docs/decisions/0028).
    ///   - namesCustomers: whether it is wanted whose the data is.
    func keep(
        _ verified: VerifiedDelivery, identifiers: CustomerIdentifiers, caller: Caller, isRefused: Bool = false,
        namesCustomers: Bool = false
    ) async throws -> Kept {
        let aliases = isRefused ? [] : identifiers.aliases
        // A request that brings nothing: the snapshot it is decided on says whether its customers can be one.
        guard !verified.entries.isEmpty || verified.isComplete || !aliases.isEmpty || namesCustomers else {
            return Kept(outcomes: [])
        }
        let (owners, number, known) = try await database.readInline {
            transaction -> ([CustomerNumber], ScopeNumber?, Kept?) in
            try expect(verified, identifiers, of: caller.scope, transaction)
            let now = try clock.instant(transaction)
            let scope = try ScopeStore(transaction).number(of: caller.scope)
            let subject: NamedCustomers
            do {
                subject =
                    try scope.map {
                        try NamedCustomers.resolve(identifiers, signed: verified.proven, in: $0, transaction)
                    }
                    ?? NamedCustomers(customers: [])
            } catch let ambiguity as RequestError {
                // New data is stored anyway.
                guard let scope, try HistoryStore(transaction).missing(verified.payloads, in: scope).isEmpty else {
                    return ([], scope, nil)
                }
                var kept = Kept(outcomes: verified.payloads.map { _ in .unchanged })
                kept.ambiguity = ambiguity
                return ([], scope, kept)
            }
            guard try Self.isKnown(verified, of: subject, attaching: aliases, at: now, in: scope, transaction) else {
                return (subject.customers, scope, nil)
            }
            var kept = Kept(outcomes: verified.payloads.map { _ in .unchanged })
            kept.subject = NamedCustomers(
                customers: subject.customers, seenAt: try StoreClock(transaction).newestSequence())
            return (subject.customers, scope, kept)
        }
        try rates.take(owners, by: caller)
        var kept: Kept
        if let known {
            kept = known
        } else {
            kept = try await write(verified, identifiers: identifiers, attaching: aliases, caller: caller) {
                number.map {
                    expectation(
                        of: verified, identifiers, attaching: aliases, to: owners, in: caller.scope, number: $0)
                }
            }
        }
        if namesCustomers, kept.ambiguity == nil {
            kept.customers = try await customers(of: verified, identifiers, in: caller.scope)
        }
        return kept
    }

    /// Asks ahead what can be asked before the first answer.
    private func expect(
        _ verified: VerifiedDelivery, _ identifiers: CustomerIdentifiers, of scope: Scope,
        _ transaction: any StoreTransaction
    ) throws {
        try transaction.expect(
            { _ = try StoreClock($0).lastInstant() },
            { _ = try ScopeStore($0).number(of: scope) },
            { transaction in
                guard let number = catalogs.lastNumber(of: scope) else { return }
                _ = try NamedCustomers.resolve(identifiers, signed: verified.proven, in: number, transaction)
            },
            { transaction in
                guard let number = catalogs.lastNumber(of: scope) else { return }
                _ = try HistoryStore(transaction).missing(verified.payloads, in: number)
            })
    }

    /// What keeping a delivery asks first.
    ///
    /// - Parameter owners: the customers that its identifiers named before.
    private func expectation(
        of verified: VerifiedDelivery, _ identifiers: CustomerIdentifiers, attaching aliases: [CustomerAlias],
        to owners: [CustomerNumber], in scope: Scope, number: ScopeNumber
    ) -> WriteExpectation {
        WriteExpectation(
            of: HistoryStore.concerns(of: verified.payloads, of: owners) + identifiers.concerns,
            HistoryStore.questions(before: verified.payloads, of: owners, in: scope, number) + [
                { _ = try NamedCustomers.resolve(identifiers, signed: verified.proven, in: number, $0) },
                { _ = try CustomerStore($0).statement(of: aliases, for: owners, in: number) },
                { transaction in
                    guard verified.isComplete else { return }
                    for owner in owners { _ = try CoverageStore(transaction).coverage(of: owner) }
                },
            ])
    }

    private func write(
        _ verified: VerifiedDelivery, identifiers: CustomerIdentifiers, attaching aliases: [CustomerAlias],
        caller: Caller, expecting expectation: @escaping WriteExpectation.Maker
    ) async throws -> Kept {
        try await database.write(by: caller.author, expecting: expectation) { transaction in
            let now = try clock.instant(transaction)
            let scope = try ScopeStore(transaction).findOrAdd(caller.scope)
            let ingested = try HistoryStore(transaction).ingest(
                verified.payloads, offers: try catalogs.offersInForce(of: scope, in: caller.scope, transaction),
                at: now, in: scope)
            let storeClock = StoreClock(transaction)
            try storeClock.advance(to: now)
            if let date = verified.newestDateOfApple { try storeClock.noteSigned(at: date) }
            var kept = Kept(outcomes: ingested.map(\.outcome))
            var owners: [CustomerNumber]
            do {
                owners = try NamedCustomers.resolve(identifiers, signed: verified.proven, in: scope, transaction)
                    .customers
            } catch let ambiguity as RequestError {
                kept.ambiguity = ambiguity
                return kept
            }
            transaction.concerns { owners.map(Concern.customer) }
            let customers = CustomerStore(transaction)
            if owners.isEmpty, verified.isComplete, !identifiers.aliases.isEmpty {
                owners = [try customers.add(under: identifiers.aliases, at: now, in: scope)]
            }
            // Thrown, so that nothing of the request is kept: it mixes up two customers.
            try NamedCustomers.require(try customers.state(aliases, of: owners, at: now, in: scope))
            kept.subject = NamedCustomers(
                customers: owners, seenAt: try StoreClock(transaction).newestSequence())
            if verified.isComplete {
                try CoverageStore(transaction).stateComplete(
                    try Self.unstated(owners, at: now, transaction), asOf: now, provenance: .caller, at: now,
                    in: scope)
            }
            return kept
        }
    }

    /// Whether all of the data is known already, with nothing else to note.
    private static func isKnown(
        _ verified: VerifiedDelivery, of subject: NamedCustomers, attaching aliases: [CustomerAlias], at now: Instant,
        in scope: ScopeNumber?, _ transaction: any StoreTransaction
    ) throws -> Bool {
        guard let scope else { return verified.payloads.isEmpty && !verified.isComplete }
        guard try HistoryStore(transaction).missing(verified.payloads, in: scope).isEmpty else { return false }
        if verified.isComplete {
            guard !subject.customers.isEmpty, try unstated(subject.customers, at: now, transaction).isEmpty else {
                return false
            }
        }
        let statement = try CustomerStore(transaction).statement(of: aliases, for: subject.customers, in: scope)
        try NamedCustomers.require(statement.foreign)
        return statement.isKnown
    }

    /// Those whose completeness was not stated within the last ten minutes. A backend that vouches with every request
    /// would otherwise cost a durable commit each time, and make decisions in progress look again for nothing.
    private static func unstated(
        _ customers: [CustomerNumber], at now: Instant, _ transaction: any StoreTransaction
    ) throws -> [CustomerNumber] {
        let recent = now.adding(milliseconds: -10 * Instant.Duration.minute)
        return try customers.filter { customer in
            let stated = try CoverageStore(transaction).coverage(of: customer)?.asOf
            return stated.map { $0 < recent } ?? true
        }
    }

    private static func results(_ verified: VerifiedDelivery, _ outcomes: [IngestOutcome]) -> [IngestResult] {
        var remaining = outcomes[...]
        return verified.entries.map { entry in
            IngestResult { result in
                result.pointer = entry.pointer
                switch entry.outcome {
                case .verified: result.outcome = remaining.popFirst() ?? .unchanged
                case .refused(let refusal):
                    (result.outcome, result.code) = (.refused, refusal.code.rawValue)
                    (result.detail, result.hint) = (refusal.detail, refusal.hint)
                case .ignored(let refusal): (result.outcome, result.detail) = (.ignored, refusal.detail)
                }
            }
        }
    }
}
