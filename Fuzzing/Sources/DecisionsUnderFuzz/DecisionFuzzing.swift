import AppStoreData
import OfferAPI
import OfferApplication
import OfferDocuments
import OfferHTTP
import OfferModel
import OfferSigning
import OfferStore
import OfferdCommands

/// Gives any bytes to the readers of what-if decisions, catalogs, cases, configuration, imports and records, and
/// decides by what they accept (invariant 10).
///
/// The first letter of an input names the way in:
///
/// - `d`: a body of `POST /v1/decisions`
/// - `y`: a catalog, a NUL and such a body, which is decided by that catalog
/// - `c`: a file of cases
/// - `l`: a line of JSON Lines
/// - `v`: CSV: a digit for the mapping, a header, a newline and a record
/// - `r`: a receipt
/// - `p`: the packed record of a decision
/// - `g`: a body of `POST /v1/signature-checks`; what it leaves unsigned is signed first
/// - `k`, `o`, `s`: `keys.yaml`, `offerd.yaml`, a scenario
struct DecisionFuzzing {
    private static let scope = Scope(bundleId: "com.example.pro", environment: .localTesting)
    /// The same in every run.
    private static let now = Instant(milliseconds: 1_780_000_000_000)

    private let catalog: CompiledCatalog

    init() throws {
        catalog = CompiledCatalog(try CatalogReader.read(FuzzedCatalog.yaml).value)
    }

    /// - Throws: ``BrokenPromise``; refusals are answers.
    func deliver(_ input: [UInt8]) throws {
        let rest = Array(input.dropFirst())
        switch input.first {
        case UInt8(ascii: "d"): try decide(body: rest, catalog)
        case UInt8(ascii: "y"):
            let end = rest.firstIndex(of: 0) ?? rest.endIndex
            guard let read = try? CatalogReader.read(Array(rest[..<end])) else { return }
            try decide(body: Array(rest[end...].dropFirst()), CompiledCatalog(read.value))
        case UInt8(ascii: "c"): cases(rest)
        case UInt8(ascii: "l"):
            try importing { () throws(ImportRefusal) in try ImportedHistory(jsonLine: rest, scope: Self.scope) }
        case UInt8(ascii: "v"):
            let lines = rest.dropFirst().split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
            guard lines.count == 2 else { return }
            try importing { () throws(ImportRefusal) in
                try ImportedHistory(
                    header: Array(lines[0]), record: Array(lines[1]), mapping: Int(rest[0]), scope: Self.scope)
            }
        case UInt8(ascii: "r"):
            guard let receipt = try? ReceiptReader(scope: Self.scope).read(rest, now: Self.now) else { return }
            try importing { () throws(ImportRefusal) in
                ImportedHistory(
                    transactions: receipt.transactions, renewalInfos: receipt.renewalInfos,
                    customerId: receipt.customerId)
            }
        case UInt8(ascii: "p"):
            guard let record = try? DecisionRecord(packed: rest) else { return }
            let packed = try record.packed()
            guard try DecisionRecord(packed: packed).packed() == packed else {
                throw BrokenPromise(description: "a record reads back otherwise")
            }
        case UInt8(ascii: "g"): try checkSignature(body: rest)
        case UInt8(ascii: "k"): _ = try? KeysReader.read(rest)
        case UInt8(ascii: "o"): _ = try? ConfigurationReader.read(rest)
        case UInt8(ascii: "s"): _ = try? ScenarioReader.read(rest)
        default: break
        }
    }

    private func decide(body: [UInt8], _ catalog: CompiledCatalog) throws {
        guard let inquiry = try? Inquiry(body: body) else { return }
        var used = catalog
        if let text = inquiry.catalog {
            guard let read = try? CatalogReader.read(text) else { return }
            used = CompiledCatalog(read.value)
        }
        let now = inquiry.asOf ?? Self.now
        guard let supplied = inquiry.history else { return try decide(SubjectFacts(), inquiry, used, now) }
        guard let decoded = try? SuppliedHistoryReader(scope: Self.scope).read(supplied) else { return }
        var facts = SubjectFacts(history: History(decoded, isComplete: supplied.isComplete, at: now))
        facts.issuedOffers = (supplied.issuedOffers ?? []).enumerated().compactMap { place, offer in
            try? IssuedOffer(offer, place: place, in: used.catalog, policy: .standard)
        }
        facts.attributes = inquiry.signals
        facts.firstStoredAt = now
        facts.rolloutKey = "1"
        if inquiry.asOf != nil { facts = facts.known(asOf: now) }
        try decide(facts, inquiry, used, now)
    }

    private func decide(
        _ facts: SubjectFacts, _ inquiry: Inquiry, _ catalog: CompiledCatalog, _ now: Instant
    ) throws {
        var facts = facts
        for offer in catalog.catalog.offers {
            facts.counters[offer.id] = OfferCounters(
                asOf: now, places: facts.issuedOffers.count, open: facts.issuedOffers.map(OfferCounters.OpenPlace.init))
        }
        let subject = PreparedSubject(facts, policy: .standard)
        let isThorough = facts.history.transactions.count % 4 == 3
        var decisions: [OfferDecision] = []
        for offer in catalog.catalog.offers.prefix(20) {
            guard let product = inquiry.productId ?? offer.products.first else { continue }
            let question = inquiry.question(offer, productId: product, of: catalog, scope: Self.scope, at: now)
            let decision = OfferModel.decide(question, about: subject)
            decisions.append(
                OfferDecision(offer, decision, decision.outlook(question, about: subject)))
            // Preparing a subject again costs most, so few inputs try whether it matters.
            guard !isThorough || OfferModel.decide(question, facts: facts) == decision else {
                throw BrokenPromise(description: "the same question about \(offer.id) is decided in two ways")
            }
        }
        let answer = InquiryAnswer(decisions, nil)
        guard try answer.json().allSatisfy({ !$0.isEmpty }) else { throw BrokenPromise(description: "no answer") }
    }

    private func checkSignature(body: [UInt8]) throws {
        guard var passed = try? PassedSignature(body: body) else { return }
        let key = StandInKey()
        key.signWhatIsUnsigned(in: &passed, as: Self.scope.bundleId)
        let judge = SignatureJudge(
            bundleId: Self.scope.bundleId, issuerId: "57246542-96fe-1a63-e053-0824d011072a",
            keys: [.init(key), .init(StandInKey(keyId: "RETIRED001"), isAccepted: false)],
            otherBundles: ["com.example.other"], catalog: catalog.catalog, now: Self.now)
        guard let diagnosis = try? judge.diagnose(passed) else { return }
        guard try !diagnosis.json().isEmpty else { throw BrokenPromise(description: "no answer") }
        let isFlawed = diagnosis.causes.contains { $0.certainty == .certain }
        guard diagnosis.verdict != .valid || !isFlawed else {
            throw BrokenPromise(description: "a signature with a certain fault is called valid")
        }
    }

    private func cases(_ bytes: [UInt8]) {
        let catalog = catalog.catalog
        let read = try? CaseReader.read(bytes) { _ in catalog }
        for asked in read?.value.cases.prefix(50) ?? [] { _ = read?.value.differences(of: asked) }
    }

    /// What is taken from a line reads back to the same, and is decided.
    private func importing(_ read: () throws(ImportRefusal) -> ImportedHistory) throws {
        guard let history = try? read(),
            case .success(let payloads) = history.admitted(to: Self.scope, catalog: catalog.catalog, now: Self.now)
        else { return }
        var decoded = DecodedHistory()
        for payload in payloads {
            if let transaction = try? Transaction(payload: payload) {
                guard transaction.payloadText == payload else {
                    throw BrokenPromise(description: "a staged purchase reads back otherwise")
                }
                decoded.transactions.append(DecodedPayload(transaction, bytes: payload))
            } else if let info = try? RenewalInfo(payload: payload) {
                decoded.renewalInfos.append(DecodedPayload(info, bytes: payload))
            } else {
                throw BrokenPromise(description: "a staged payload does not read back")
            }
        }
        let facts = SubjectFacts(history: History(decoded, isComplete: true, at: Self.now))
        try decide(facts, Inquiry { $0.customer = CustomerIdentifiers() }, catalog, Self.now)
    }
}

/// Something that never may happen.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String
}
