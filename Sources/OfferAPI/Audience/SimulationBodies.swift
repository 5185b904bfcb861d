public import JSON
public import OfferModel

/// `POST /v1/simulations`: how many customers would get an offer.
public struct SimulationRequest: WireRequest {
    public var offerId: OfferId = ""
    /// The text of a catalog document, YAML or JSON, instead of the one in force; it need never have been applied.
    public var catalog: String?
    /// The instant to decide at, as in a dry-run.
    public var asOf: Instant?
    /// Only customers who meet this condition, a condition in one line (docs/audience.md#conditions).
    public var `where`: String?
    /// The catalog by which gains and losses are told.
    public var compareWith: ComparedCatalog?

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.required("offerId", &offerId)
        members.optional("catalog", &catalog)
        members.optional("asOf", &asOf)
        members.optional("where", &`where`)
        members.optional("compareWith", &compareWith)
    }
}

/// A catalog to compare with: the one in force, or a revision.
public enum ComparedCatalog: WireValue {
    case inForce
    case revision(Int)

    public static var form: WireForm { .schema("ComparedCatalog") }

    public static func read(_ json: inout WireReader) throws(Misreading) -> ComparedCatalog {
        guard json.next() == UInt8(ascii: "\"") else { return .revision(try Int.read(&json)) }
        guard try json.text() == "inForce" else {
            throw Misreading(
                .invalidValue, "`compareWith` is `\"inForce\"` or the number of a revision",
                hint: "`GET /v1/catalog/revisions` lists them")
        }
        return .inForce
    }

    public func write(to json: inout JSONWriter) {
        switch self {
        case .inForce: json.text("inForce")
        case .revision(let number): json.value(number)
        }
    }
}

/// The answer to `POST /v1/simulations`.
public struct SimulationStarted: WireObject {
    public var id: LowercaseUUID = .blank

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) { members.required("id", &id) }
}

public enum SimulationProgressState: String, Sendable, Hashable, CaseIterable, WireWord {
    case running, done, cancelled, failed
}

/// `GET /v1/simulations/{id}`.
public struct SimulationBody: WireObject {
    public var id: LowercaseUUID = .blank
    public var state = SimulationProgressState.running
    public var progress = SimulationProgress()
    public var result: SimulationResult?
    /// Why it failed.
    public var failure: String?

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("failure", &failure)
        members.required("id", &id)
        members.required("progress", &progress)
        members.optional("result", &result)
        members.required("state", &state)
    }
}

/// How many customers have been looked at, of how many there are.
public struct SimulationProgress: WireObject {
    public var done = 0
    public var of = 0

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.required("done", &done)
        members.required("of", &of)
    }
}

/// A number of customers; of a few a `marketing` key only learns that they are few.
public enum AudienceCount: WireValue {
    case exactly(Int)
    case fewerThan(Int)

    public static var form: WireForm { .schema("AudienceCount") }

    public static func read(_ json: inout WireReader) throws(Misreading) -> AudienceCount {
        guard json.next() == UInt8(ascii: "{") else { return .exactly(try Int.read(&json)) }
        return .fewerThan(try FewCustomers.read(&json).fewerThan)
    }

    public func write(to json: inout JSONWriter) {
        switch self {
        case .exactly(let number): json.value(number)
        case .fewerThan(let number): json.value(FewCustomers { $0.fewerThan = number })
        }
    }
}

/// A number of customers that is too small to be told.
public struct FewCustomers: WireObject {
    public var fewerThan = 0

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) { members.required("fewerThan", &fewerThan) }
}

/// What a dry-run of the offer says of every customer, counted (docs/audience.md).
public struct SimulationResult: WireObject {
    /// The instant that was decided at.
    public var asOf: Instant = .blank
    /// The condition that the request gave, for its API key alone: it may name a person.
    public var `where`: String?
    /// The revision that decided; absent for a text that the request gave.
    public var catalogRevision: Int?
    /// The revision it was compared with; absent if that lacks the offer, so that everyone who gets it gains it.
    public var comparedRevision: Int?
    /// The customers that were counted: all, or those who meet `where`.
    public var customers = AudienceCount.exactly(0)
    public var eligible = AudienceCount.exactly(0)
    public var ineligible = AudienceCount.exactly(0)
    public var undetermined = AudienceCount.exactly(0)
    /// Of the ineligible, those kept from the offer by nothing but the rollout or the holdout.
    public var heldBack = AudienceCount.exactly(0)
    /// Customers who may or may not meet `where`; they are not counted.
    public var undeterminedWhere: AudienceCount?
    /// The rules that decided against the offer, the most frequent first; several may have decided for one customer.
    public var byRule: [RuleCount] = []
    /// Why it is undetermined, the most frequent first.
    public var undeterminedBy: [ReasonCount] = []
    /// Who is left after each rule that loses someone, in the order in which rules are asked.
    public var waterfall: [WaterfallStep] = []
    /// From the day of the simulation on, how many more become eligible on each day in UTC by time alone.
    public var next30Days: [DayCount] = []
    /// What the offer costs at most if every eligible customer takes it.
    public var costCeiling: [CostCeiling]?
    /// Who would get the offer and would not by the catalog it is compared with.
    public var gains: AudienceChange?
    /// Who would not get the offer and would by the catalog it is compared with.
    public var losses: AudienceChange?
    /// Up to ten eligible customers, to look at by a dry-run.
    public var samples: [SampleCustomer] = []

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.required("asOf", &asOf)
        members.required("byRule", &byRule)
        members.optional("catalogRevision", &catalogRevision)
        members.optional("comparedRevision", &comparedRevision)
        members.optional("costCeiling", &costCeiling)
        members.required("customers", &customers)
        members.required("eligible", &eligible)
        members.optional("gains", &gains)
        members.required("heldBack", &heldBack)
        members.required("ineligible", &ineligible)
        members.optional("losses", &losses)
        members.required("next30Days", &next30Days)
        members.required("samples", &samples)
        members.required("undetermined", &undetermined)
        members.required("undeterminedBy", &undeterminedBy)
        members.optional("undeterminedWhere", &undeterminedWhere)
        members.required("waterfall", &waterfall)
        members.optional("where", &`where`)
    }

    public struct RuleCount: WireObject {
        public var rule = ""
        /// `violated` or `undetermined`.
        public var verdict = ""
        /// Of the offer's own condition, the fact that decided.
        public var fact: String?
        public var count = AudienceCount.exactly(0)

        public init() {}

        public mutating func visit(_ members: inout some MemberVisitor) {
            members.required("count", &count)
            members.optional("fact", &fact)
            members.required("rule", &rule)
            members.required("verdict", &verdict)
        }
    }

    public struct ReasonCount: WireObject {
        public var reason = ""
        public var count = AudienceCount.exactly(0)

        public init() {}

        public mutating func visit(_ members: inout some MemberVisitor) {
            members.required("count", &count)
            members.required("reason", &reason)
        }
    }

    public struct WaterfallStep: WireObject {
        /// What was asked, in words.
        public var step = ""
        /// The rule; absent at the first step, which counts everyone.
        public var rule: String?
        public var customers = AudienceCount.exactly(0)

        public init() {}

        public mutating func visit(_ members: inout some MemberVisitor) {
            members.required("customers", &customers)
            members.optional("rule", &rule)
            members.required("step", &step)
        }
    }

    public struct DayCount: WireObject {
        /// The day in UTC: `2026-01-31`.
        public var day = ""
        public var eligible = AudienceCount.exactly(0)

        public init() {}

        public mutating func visit(_ members: inout some MemberVisitor) {
            members.required("day", &day)
            members.required("eligible", &eligible)
        }
    }

    public struct CostCeiling: WireObject {
        public var amount = ""
        public var currency = ""
        /// Whether the offer's limits keep it below what all eligible customers together would cost.
        public var isCapped = false

        public init() {}

        public mutating func visit(_ members: inout some MemberVisitor) {
            members.required("amount", &amount)
            members.required("currency", &currency)
            members.required("isCapped", &isCapped)
        }
    }

    public struct AudienceChange: WireObject {
        public var customers = AudienceCount.exactly(0)
        /// Up to ten of them.
        public var samples: [SampleCustomer] = []

        public init() {}

        public mutating func visit(_ members: inout some MemberVisitor) {
            members.required("customers", &customers)
            members.required("samples", &samples)
        }
    }
}

/// A customer by the identifiers that a dry-run takes; a `marketing` key sees the app's own only.
public struct SampleCustomer: WireObject {
    public var customerId: CustomerId?
    public var appAccountToken: AppAccountToken?
    public var appTransactionId: AppTransactionId?
    public var originalTransactionId: TransactionId?

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("appAccountToken", &appAccountToken)
        members.optional("appTransactionId", &appTransactionId)
        members.optional("customerId", &customerId)
        members.optional("originalTransactionId", &originalTransactionId)
    }
}
